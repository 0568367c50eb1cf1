<?php

declare(strict_types=1);

namespace Shop;

/**
 * Storage of a property, as in an annotation of an object-relational mapper.
 *
 * @Annotation
 * @Target("PROPERTY")
 */
final class Column
{
    public string $type = 'string';
    public int $length = 255;
    public bool $nullable = false;
}

<?php

declare(strict_types=1);

namespace Shop;

/**
 * How a property is stored, as an annotation of an object-relational mapper says it.
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

<?php

declare(strict_types=1);

namespace Larder\Lab\Figures;

/** An object as an ORM creates it, with an object of a PHP class inside. */
final class Entity
{
    /** @param list<string> $tags */
    public function __construct(
        public readonly int $id,
        public readonly string $name,
        public readonly \DateTimeImmutable $at,
        public readonly array $tags,
    ) {}
}

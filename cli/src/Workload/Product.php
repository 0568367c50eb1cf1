<?php

declare(strict_types=1);

namespace Larder\Cli\Workload;

/** A typed object as programs pass it around (a DTO). */
final class Product
{
    /** @param list<string> $tags */
    public function __construct(
        public readonly int $id,
        public readonly string $name,
        public readonly string $description,
        public readonly float $price,
        public readonly ?self $variantOf,
        public readonly array $tags,
        public readonly bool $isAvailable,
    ) {}

    public static function number(int $id): self
    {
        $base = new self(1, 'Teapot', str_repeat('Holds four cups. ', 6), 24.5, null, ['kitchen', 'tea'], true);

        return new self($id, 'Teapot ' . $id, str_repeat(
            'Holds five cups. ',
            6,
        ), 29.9, $base, ['kitchen', 'tea', 'new'], false);
    }
}

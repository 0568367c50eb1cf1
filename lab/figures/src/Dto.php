<?php

declare(strict_types=1);

namespace Larder\Lab\Figures;

/** A typed object, as programs pass between their layers. */
final class Dto
{
    /** @param list<string> $tags */
    public function __construct(
        public int $id,
        public string $name,
        public ?string $mail,
        public float $score,
        public bool $isActive,
        public array $tags,
        protected string $secret,
        public readonly ?self $parent,
    ) {}
}

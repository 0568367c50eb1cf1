<?php

declare(strict_types=1);

namespace App;

/** A price as the old release has it; ../b has it as the new one. */
final class Price
{
    private function __construct(private readonly string $francs) {}

    public static function of(string $francs): self
    {
        return new self($francs);
    }

    public function text(): string
    {
        return $this->francs;
    }
}

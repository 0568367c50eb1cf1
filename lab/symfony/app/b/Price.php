<?php

declare(strict_types=1);

namespace App;

final class Price
{
    private function __construct(private readonly int $rappen, private readonly string $currency) {}

    public static function of(string $francs): self
    {
        return new self(100 * (int) $francs, 'CHF');
    }

    public function text(): string
    {
        return \sprintf('%s %.2f', $this->currency, $this->rappen / 100);
    }
}

<?php

declare(strict_types=1);

namespace Larder\Testing\Value;

/** An object with private and readonly properties and another object inside. */
final class Money
{
    public function __construct(
        private readonly int $cents,
        private readonly Suit $suit,
        protected ?self $change = null,
    ) {}

    public function cents(): int
    {
        return $this->cents + ($this->change?->cents() ?? 0);
    }

    public function suit(): Suit
    {
        return $this->suit;
    }
}

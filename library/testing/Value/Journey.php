<?php

declare(strict_types=1);

namespace Larder\Testing\Value;

/** An object with __serialize(). */
final class Journey
{
    /** @param list<string> $stops */
    public function __construct(public array $stops, public ?\Closure $onArrival = null) {}

    /** @return array{string} */
    public function __serialize(): array
    {
        return [implode('>', $this->stops)];
    }

    /** @param array{string} $data */
    public function __unserialize(array $data): void
    {
        $this->stops = explode('>', $data[0]);
    }
}

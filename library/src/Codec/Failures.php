<?php

declare(strict_types=1);

namespace Larder\Codec;

/** Counts unreadable values by reason, each of which was a miss, and values that were not stored. */
final class Failures
{
    /** @var array<value-of<Failure>, int> */
    private array $counts = [];

    /** @param (\Closure(Failure): void)|null $told called for each failure */
    public function __construct(private readonly ?\Closure $told = null) {}

    public function add(Failure $failure): void
    {
        $this->counts[$failure->value] = ($this->counts[$failure->value] ?? 0) + 1;
        if ($this->told !== null) {
            ($this->told)($failure);
        }
    }

    /** @return array<value-of<Failure>, int> */
    public function counts(): array
    {
        return $this->counts;
    }

    public function total(): int
    {
        return array_sum($this->counts);
    }
}

<?php

declare(strict_types=1);

namespace Larder\Codec;

/** Counts by reason values that could not be read, each of which was a miss, and those that were not stored. */
final class Failures
{
    /** @var array<value-of<Failure>, int> */
    private array $counts = [];

    /** @param (\Closure(Failure): void)|null $told receives each */
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

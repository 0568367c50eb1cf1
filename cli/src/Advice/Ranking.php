<?php

declare(strict_types=1);

namespace Larder\Cli\Advice;

use Larder\Cli\Report\PairwiseTests;
use Larder\Cli\Timing\Interval;

/** Setups by their cost: the best, those that the run cannot tell from it, and how much longer all others take. */
final class Ranking
{
    /**
     * @param non-empty-list<string> $best the cheapest, and those that PairwiseTests cannot tell from it
     * @param array<string, array{ratio: float, interval: Interval}> $others by setup, the cheapest first
     */
    private function __construct(public readonly array $best, public readonly Estimate $cost, public readonly array $others) {}

    /** @param array<string, Estimate|null> $costs by setup; without one it does not take part */
    public static function of(array $costs): ?self
    {
        $costs = array_filter($costs, static fn(?Estimate $cost): bool => $cost !== null);
        uasort($costs, static fn(Estimate $a, Estimate $b): int => $a->value <=> $b->value);
        $first = array_key_first($costs);
        if ($first === null) {
            return null;
        }
        $tests = PairwiseTests::of(array_map(static fn(Estimate $cost): array => $cost->rounds, $costs));
        $best = [$first];
        $others = [];
        foreach ($costs as $name => $cost) {
            $ratio = $cost->by($costs[$first]);
            $interval = $ratio->interval();
            if (!$interval->contains(1.0) && $tests->differ($first, $name)) {
                $others[$name] = ['ratio' => $ratio->value, 'interval' => $interval];
            } elseif ($name !== $first) {
                $best[] = $name;
            }
        }

        return new self($best, $costs[$first], $others);
    }

    /** "larder", or "apcu or larder (no difference)". */
    public function winners(): string
    {
        $names = $this->best;
        sort($names);

        return implode(' or ', $names) . (\count($this->best) > 1 ? ' (no difference)' : '');
    }
}

<?php

declare(strict_types=1);

namespace Larder\Cli\Advice;

use Larder\Cli\Report\PairwiseTests;
use Larder\Cli\Timing\Interval;

/**
 * Setups by their cost: the best, those that the run cannot distinguish from it, and all others. With too few rounds
 * for a test, a setup still counts as worse if its fastest round was slower than the best one's slowest.
 */
final class Ranking
{
    /**
     * @param non-empty-list<string> $best the cheapest, and those that the run cannot distinguish from it
     * @param array<string, array{ratio: float, interval: Interval|null}> $others by setup, the cheapest first; without
     *         an interval, the ratio is the smallest of any round
     * @param int $rounds if there are too few for a test; else 0
     */
    private function __construct(
        public readonly array $best,
        public readonly Estimate $cost,
        public readonly array $others,
        public readonly int $rounds,
    ) {}

    /** @param array<string, Estimate|null> $costs by setup; a setup whose cost is null is left out */
    public static function of(array $costs): ?self
    {
        $costs = array_filter($costs, static fn(?Estimate $cost): bool => $cost !== null);
        uasort($costs, static fn(Estimate $a, Estimate $b): int => $a->value <=> $b->value);
        $first = array_key_first($costs);
        if ($first === null) {
            return null;
        }
        $rounds = min(array_map(static fn(Estimate $cost): int => \count($cost->rounds), $costs));
        $tests = PairwiseTests::canTell(\count($costs), $rounds)
            ? PairwiseTests::of(array_map(static fn(Estimate $cost): array => $cost->rounds, $costs))
            : null;
        $best = [$first];
        $others = [];
        foreach (\array_slice($costs, 1) as $name => $cost) {
            $ratio = $cost->by($costs[$first]);
            $interval = $tests === null ? null : $ratio->interval();
            if ($interval !== null && !$interval->contains(1.0) && $tests->differ($first, $name)) {
                $others[$name] = ['ratio' => $ratio->value, 'interval' => $interval];
            } elseif ($tests === null && $cost->isBehind($costs[$first])) {
                $others[$name] = ['ratio' => min([$ratio->value, ...$ratio->rounds]), 'interval' => null];
            } else {
                $best[] = $name;
            }
        }

        return new self($best, $costs[$first], $others, $tests === null ? $rounds : 0);
    }
}

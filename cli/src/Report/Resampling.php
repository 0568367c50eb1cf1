<?php

declare(strict_types=1);

namespace Larder\Cli\Report;

use Larder\Cli\Timing\Interval;
use Larder\Cli\Timing\Statistics;
use Random\Engine\Mt19937;
use Random\Randomizer;

/**
 * The bootstrap, for figures that are computed from many rows: what their medians would have been, had other rounds been
 * measured. Each draw takes the same rounds of all rows, so that a round in which the machine was slow is slow for all. The
 * draws are the same in each run of the program: the same file always gives the same intervals.
 */
final class Resampling
{
    public const DRAWS = 500;
    private const TAIL = 0.025;
    /** More rounds are not looked at: a result of somebody else may have any number. */
    private const MOST_ROUNDS = 1000;

    /** @var array<int, list<list<int>>> the rounds of each draw, by the number of rounds */
    private array $rounds = [];

    /**
     * @param list<float> $samples
     * @return list<float>|null the median of each draw; null when there are too few samples
     */
    public function medians(array $samples): ?array
    {
        $count = min(self::MOST_ROUNDS, \count($samples));
        if ($count < Interval::FEWEST) {
            return null;
        }
        $this->rounds[$count] ??= self::draw($count);
        $medians = [];
        foreach ($this->rounds[$count] as $rounds) {
            $drawn = [];
            foreach ($rounds as $round) {
                $drawn[] = $samples[$round];
            }
            $medians[] = $drawn === [] ? 0.0 : Statistics::median($drawn);
        }

        return $medians;
    }

    /**
     * Of the ratio of two medians of different runs, which have no rounds in common.
     *
     * @param list<float> $a
     * @param list<float> $b above zero
     */
    public function ratio(array $a, array $b): ?Interval
    {
        [$ofA, $ofB] = [$this->medians($a), $this->medians($b)];

        return $ofA === null || $ofB === null ? null : self::percentiles(array_map(static fn(float $x, float $y): float => $x / $y, $ofA, array_reverse($ofB)));
    }

    /** @param list<float> $draws a figure computed from the medians of each draw */
    public static function percentiles(array $draws): Interval
    {
        sort($draws);
        $tail = (int) (self::TAIL * \count($draws));

        return new Interval($draws[$tail] ?? 0.0, $draws[\count($draws) - 1 - $tail] ?? 0.0);
    }

    /** @return list<list<int>> */
    private static function draw(int $count): array
    {
        $random = new Randomizer(new Mt19937($count));
        $draws = [];
        for ($draw = 0; $draw < self::DRAWS; ++$draw) {
            $rounds = [];
            for ($i = 0; $i < $count; ++$i) {
                $rounds[] = $random->getInt(0, $count - 1);
            }
            $draws[] = $rounds;
        }

        return $draws;
    }
}

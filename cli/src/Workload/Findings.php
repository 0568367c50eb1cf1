<?php

declare(strict_types=1);

namespace Larder\Cli\Workload;

use Larder\Cli\Timing\Histogram;

/** Results of processes that work together. Each process returns its own as numbers. */
final class Findings
{
    private const COUNTERS = 5;

    /** Operations in a second. */
    public float $rate = 0.0;

    public int $operations = 0;

    /** Misses of keys that were stored. */
    public int $lost = 0;

    /** Gets of a value that was never stored under this key. */
    public int $wrong = 0;

    /** Sets that returned false. */
    public int $refused = 0;

    public Histogram $gets;
    public Histogram $sets;

    public function __construct()
    {
        $this->gets = Histogram::empty();
        $this->sets = Histogram::empty();
    }

    /** @return list<int|float> */
    public function numbers(): array
    {
        return [
            $this->rate, $this->operations, $this->lost, $this->wrong, $this->refused,
            ...self::flat($this->gets), ...self::flat($this->sets),
        ];
    }

    /** @param list<list<float>> $answers numbers() of each process */
    public static function merged(array $answers): self
    {
        $all = new self();
        foreach ($answers as $numbers) {
            [$rate, $operations, $lost, $wrong, $refused] = [...$numbers, 0.0, 0.0, 0.0, 0.0, 0.0];
            $all->rate += $rate;
            $all->operations += (int) $operations;
            $all->lost += (int) $lost;
            $all->wrong += (int) $wrong;
            $all->refused += (int) $refused;
            $gets = \array_slice($numbers, self::COUNTERS);
            $all->gets->merge(self::histogram($gets));
            $all->sets->merge(self::histogram(\array_slice($gets, 2 + 2 * (int) ($gets[0] ?? 0))));
        }

        return $all;
    }

    /** @return list<int> the number of bins, the maximum, and each bin with its count */
    private static function flat(Histogram $histogram): array
    {
        ['counts' => $counts, 'maximum' => $maximum] = $histogram->toArray();
        $flat = [\count($counts), $maximum];
        foreach ($counts as $bin => $count) {
            array_push($flat, $bin, $count);
        }

        return $flat;
    }

    /** @param list<float> $flat what follows is left out */
    private static function histogram(array $flat): Histogram
    {
        $counts = [];
        for ($i = 0; $i < (int) ($flat[0] ?? 0); ++$i) {
            $counts[(int) ($flat[2 + 2 * $i] ?? 0)] = (int) ($flat[3 + 2 * $i] ?? 0);
        }

        return Histogram::fromArray(['counts' => $counts, 'maximum' => (int) ($flat[1] ?? 0)]);
    }
}

<?php

declare(strict_types=1);

namespace Larder\Cli\Timing;

/**
 * The method by which every command measures the time of one operation:
 *
 * - Batches. The clock is read before and after a batch of operations, as one reading takes longer than a short
 *   operation.
 * - Empty loop. Right before each batch the same loop runs without the operation, and its time is subtracted.
 * - Warm-up. Batches double until one takes the time asked for; a size counts by the faster of two, as the first may
 *   connect, compile or touch fresh memory.
 * - Interleaving. A round has one batch of each work; the order is reversed every round. So a machine that changes its
 *   clock rate, or is busy with something else, changes all of them.
 * - Statistics. A round gives one figure for each work. The median of the rounds is the result, their spread the noise.
 */
final class Timer
{
    /** Smaller results are the clock's noise, and must not be zero in ratios. */
    private const LEAST_NANOSECONDS = 0.1;

    /**
     * @param int $batch nanoseconds that a batch takes at least: a thousand times the clock, a tenth of a time slice
     * @param int $mostTimes operations of a batch at most
     * @param int $mostBytes that a batch may hold, for works that keep what they read
     */
    public function __construct(
        private readonly int $batch = 250_000,
        private readonly int $mostTimes = \PHP_INT_MAX,
        private readonly int $mostBytes = \PHP_INT_MAX,
    ) {}

    /**
     * @template K of array-key
     * @param non-empty-array<K, Work> $works
     * @return non-empty-array<K, non-empty-list<float>> nanoseconds of one operation, by work and round
     */
    public function measure(array $works, int $rounds): array
    {
        $samples = [];
        foreach ($works as $name => $work) {
            $times = $this->warmUp($work)[0];
            $samples[$name] = static fn(): float => self::sample($work, $times);
        }

        return self::interleave($samples, $rounds);
    }

    /**
     * Measures one work in as many rounds as fit into the time.
     *
     * @return non-empty-list<float> nanoseconds of one operation, by round
     */
    public function measureFor(Work $work, int $nanoseconds, int $fewest, int $most): array
    {
        [$times, $batch] = $this->warmUp($work);
        $rounds = max($fewest, min($most, intdiv($nanoseconds, max(1, $batch))));

        return self::interleave([static fn(): float => self::sample($work, $times)], $rounds)[0];
    }

    /**
     * Measures one work for this many operations, or for as many as fit into the time.
     *
     * @param positive-int $operations
     * @return array{float, int} nanoseconds of one operation, the mean of all; operations done
     */
    public function mean(Work $work, int $operations, int $nanoseconds): array
    {
        [$batch] = $this->warmUp($work);
        $done = $passed = 0;
        $loop = \INF; // of one operation; the minimum, because an interruption would be subtracted from all
        do {
            $times = min($batch, $operations - $done);
            [$full, $empty] = self::run($work, $times);
            $done += $times;
            $passed += $full;
            $loop = min($loop, $empty / max(1, $times));
        } while ($done < $operations && $passed < $nanoseconds);

        return [max(self::LEAST_NANOSECONDS, $passed / max(1, $done) - $loop), $done];
    }

    /**
     * Only the rounds, for figures that are not the time of a loop, such as a figure reported by a page of FPM, or the
     * calls a second of several processes.
     *
     * @template K of array-key
     * @template T
     * @param non-empty-array<K, \Closure(): T> $samples each takes one figure
     * @return non-empty-array<K, non-empty-list<T>> by sample and round
     */
    public static function interleave(array $samples, int $rounds): array
    {
        $figures = array_map(static fn(\Closure $sample): array => [$sample()], $samples);
        for ($round = 1; $round < $rounds; ++$round) {
            foreach ($round % 2 === 0 ? $samples : array_reverse($samples, true) as $name => $sample) {
                $figures[$name][] = $sample();
            }
        }

        return $figures;
    }

    /** @return array{int, int} operations of a batch, nanoseconds that it takes */
    private function warmUp(Work $work): array
    {
        $before = memory_get_usage();
        for ($times = 1;; $times = min(2 * $times, $this->mostTimes)) {
            $batch = min(self::run($work, $times)[0], self::run($work, $times)[0]);
            if (
                $batch >= $this->batch || $times >= $this->mostTimes || memory_get_usage() - $before >= $this->mostBytes
            ) {
                return [$times, $batch];
            }
        }
    }

    private static function sample(Work $work, int $times): float
    {
        [$full, $empty] = self::run($work, $times);

        return max(self::LEAST_NANOSECONDS, ($full - $empty) / $times);
    }

    /** @return array{int, int} nanoseconds of one batch, and of its empty loop */
    private static function run(Work $work, int $times): array
    {
        $work->prepare($times);
        $start = \hrtime(true);
        $work->runEmpty($times);
        $between = \hrtime(true);
        $work->run($times);
        $end = \hrtime(true);
        $work->check();

        return [$end - $between, $between - $start];
    }
}

<?php

declare(strict_types=1);

namespace Larder\Cli\Timing;

/**
 * Durations of single operations in bins, as in HdrHistogram: each power of two has 128 bins of equal width, so a
 * percentile is at most 0.8 % too high. Memory is bounded, and histograms of several processes can be merged;
 * percentiles themselves are never averaged.
 *
 * @see https://hdrhistogram.org
 */
final class Histogram
{
    /** Bins in each power of two, as a power of two. */
    private const PRECISION = 7;

    /**
     * @param array<int, int> $counts by bin
     */
    private function __construct(private array $counts, private int $count, private int $maximum) {}

    public static function empty(): self
    {
        return new self([], 0, 0);
    }

    /** @param int $nanoseconds zero or more */
    public function record(int $nanoseconds): void
    {
        $bin = self::bin($nanoseconds);
        $this->counts[$bin] = ($this->counts[$bin] ?? 0) + 1;
        ++$this->count;
        if ($nanoseconds > $this->maximum) {
            $this->maximum = $nanoseconds;
        }
    }

    public function merge(self $other): void
    {
        foreach ($other->counts as $bin => $count) {
            $this->counts[$bin] = ($this->counts[$bin] ?? 0) + $count;
        }
        $this->count += $other->count;
        $this->maximum = max($this->maximum, $other->maximum);
    }

    public function count(): int
    {
        return $this->count;
    }

    public function maximum(): int
    {
        return $this->maximum;
    }

    /**
     * The duration that this percentage of the operations did not exceed.
     *
     * @param float $percent above 0, at most 100
     * @return int nanoseconds: the upper end of the bin, or the maximum; 0 when nothing was recorded
     */
    public function percentile(float $percent): int
    {
        ksort($this->counts);
        $wanted = max(1, (int) ceil($this->count * $percent / 100 - 1e-9));
        $seen = 0;
        foreach ($this->counts as $bin => $count) {
            $seen += $count;
            if ($seen >= $wanted) {
                return min($this->maximum, self::highest($bin));
            }
        }

        return $this->maximum;
    }

    /** @return array{counts: array<int, int>, maximum: int} for json_encode() */
    public function toArray(): array
    {
        ksort($this->counts);

        return ['counts' => $this->counts, 'maximum' => $this->maximum];
    }

    /**
     * True if these are the fields of a histogram; the file may be another program's.
     *
     * @phpstan-assert-if-true array{counts: array<int|string, int>, maximum: int} $fields
     */
    public static function isValid(mixed $fields): bool
    {
        if (
            !\is_array($fields) || !\is_array($fields['counts'] ?? null) || !\is_int($fields['maximum'] ?? null)
            || $fields['maximum'] < 0
        ) {
            return false;
        }
        $left = \PHP_INT_MAX;
        foreach ($fields['counts'] as $bin => $count) {
            if (
                !\is_int($bin) || $bin < 0 || $bin > self::bin(\PHP_INT_MAX) || !\is_int($count) || $count < 0
                || $count > $left
            ) {
                return false;
            }
            $left -= $count;
        }

        return true;
    }

    /** @param array{counts: array<int|string, int>, maximum: int} $fields */
    public static function fromArray(array $fields): self
    {
        $counts = [];
        foreach ($fields['counts'] as $bin => $count) {
            $counts[(int) $bin] = $count;
        }

        return new self($counts, array_sum($counts), $fields['maximum']);
    }

    /** Below 256 a bin is one nanosecond wide; from there on each power of two has 128 bins. */
    private static function bin(int $nanoseconds): int
    {
        $shift = 0;
        for ($rest = $nanoseconds >> (self::PRECISION + 1); $rest > 0; $rest >>= 1) {
            ++$shift;
        }

        return ($shift << self::PRECISION) + ($nanoseconds >> $shift);
    }

    /** The longest duration of a bin. */
    private static function highest(int $bin): int
    {
        $shift = max(0, ($bin >> self::PRECISION) - 1);

        return (($bin - ($shift << self::PRECISION) + 1) << $shift) - 1;
    }
}

<?php

declare(strict_types=1);

namespace Larder\Cli\Timing;

/** The resolution of the clock that measures everything, and the cost of its reading and of an empty loop. */
final class Clock
{
    private const READINGS = 2048;

    /**
     * @param float $resolution nanoseconds: the smallest difference of two readings that is not zero
     * @param float $reading nanoseconds that a reading takes
     * @param float $loop nanoseconds that a loop takes for each operation, which Timer subtracts
     */
    public function __construct(
        public readonly float $resolution,
        public readonly float $reading,
        public readonly float $loop,
    ) {}

    public static function measure(): self
    {
        $least = \PHP_INT_MAX;
        $first = $last = \hrtime(true);
        for ($i = 0; $i < self::READINGS; ++$i) {
            $now = \hrtime(true);
            if ($now !== $last && $now - $last < $least) {
                $least = $now - $last;
            }
            $last = $now;
        }
        $keys = array_fill(0, self::READINGS, 'key');
        $read = array_fill(0, self::READINGS, null);
        $loops = [];
        foreach (range(1, 11) as $round) {
            $start = \hrtime(true);
            foreach ($keys as $i => $key) {
                $read[$i] = $key;
            }
            $loops[] = (\hrtime(true) - $start) / self::READINGS;
        }

        return new self($least, ($last - $first) / self::READINGS, Statistics::median($loops));
    }
}

<?php

declare(strict_types=1);

namespace Larder\Lab\Figures;

use Larder\Cli\Timing\Loop;
use Larder\Cli\Timing\Timer;

/** Our figure and the peer's, measured in the same rounds. */
final class Pair
{
    /**
     * @param \Closure(int): void $ours does the work this many times
     * @param \Closure(int): void $theirs
     * @return non-empty-list<array{float, float}> nanoseconds of one execution, by round
     */
    public static function measure(\Closure $ours, \Closure $theirs, int $rounds, Timer $timer = new Timer()): array
    {
        [$mine, $other] = $timer->measure([Loop::of($ours), Loop::of($theirs)], $rounds);

        return self::zip($mine, $other);
    }

    /**
     * @param \Closure(): float $ours takes one figure
     * @param \Closure(): float $theirs
     * @return non-empty-list<array{float, float}> by round
     */
    public static function interleave(\Closure $ours, \Closure $theirs, int $rounds): array
    {
        [$mine, $other] = Timer::interleave([$ours, $theirs], $rounds);

        return self::zip($mine, $other);
    }

    /**
     * @param non-empty-list<float> $ours
     * @param non-empty-list<float> $theirs
     * @return non-empty-list<array{float, float}>
     */
    private static function zip(array $ours, array $theirs): array
    {
        return array_map(static fn(float $one, float $other): array => [$one, $other], $ours, $theirs);
    }
}

<?php

declare(strict_types=1);

/*
 * Measures a known delay with the code that measures stores, and compares the figure with the delay. Fails if a figure
 * is off by more than 3 % and by more than 2 ns.
 *
 *     php lab/overhead/prove.php [percent]
 *
 * The true delay is the median time of several plain loops around the same calls, because other processes interrupt a
 * few of them. Loops and measurements alternate in one process, so a change of the processor's clock affects both. With
 * a percentage, the measured store is slower by that much: a control.
 */

use Larder\Cli\Compare\Benchmark;
use Larder\Cli\Compare\Operation;
use Larder\Cli\Compare\TimeBudget;
use Larder\Cli\Compare\Value;
use Larder\Cli\Report\Figure;
use Larder\Cli\System\CpuAffinity;
use Larder\Cli\Timing\Statistics;
use Larder\Lab\Overhead\BusyStore;

require __DIR__ . '/../../vendor/autoload.php';

const DELAYS = [100, 300, 3_000, 10_000, 100_000];
/** Nanoseconds of the shortest delay by the clock. The clock is too coarse for shorter ones, which are loops. */
const BY_CLOCK = 1_000;
const PAIRS = 200;
/** Number of loops that determine the true delay, and nanoseconds of each loop. */
const LOOPS = 5;
const LOOP = 500_000;

/** Nanoseconds of one call, minus those of the loop around it. */
function once(BusyStore $store, Operation $operation, string $text, int $times): float
{
    $values = array_map(static fn(int $i): string => $text . $i, range(1, $times));
    $store->set('key', $text);
    $start = hrtime(true);
    foreach ($values as $value) {
        $read = $value;
    }
    $between = hrtime(true);
    if ($operation === Operation::Get) {
        foreach ($values as $value) {
            $read = $store->get('key');
        }
    } else {
        foreach ($values as $value) {
            $read = $store->set('key', $value);
        }
    }

    return (hrtime(true) - $between - ($between - $start)) / $times;
}

/** Number of BusyStore's iterations that take this many nanoseconds. */
function turns(int $nanoseconds): int
{
    $loops = [];
    foreach (range(1, LOOPS) as $loop) {
        $start = hrtime(true);
        for ($turn = 0; $turn < 100_000; ++$turn) {
        }
        $loops[] = (hrtime(true) - $start) / 100_000;
    }

    return max(1, (int) round($nanoseconds / Statistics::median($loops)));
}

gc_disable();
CpuAffinity::pin();
$slower = 1 + (float) ($argv[1] ?? 0) / 100;
$value = Value::all()['10b'];
$text = serialize($value->make(0));
$isOff = false;
foreach (Operation::cases() as $operation) {
    foreach (DELAYS as $delay) {
        $turns = $delay < BY_CLOCK ? turns($delay) : 0;
        $store = static fn(float $factor): BusyStore => $turns === 0 ? new BusyStore((int) ($delay * $factor)) : new BusyStore(0, (int) round($turns * $factor));
        $known = $printed = [];
        for ($pair = 0; $pair < PAIRS; ++$pair) {
            $right = $store(1.0);
            $known[] = Statistics::median(array_map(static fn(): float => once($right, $operation, $text, intdiv(LOOP, $delay + 100)), range(1, LOOPS)));
            $measurement = (new Benchmark($store($slower), new TimeBudget(400_000, 8_000_000)))->measure($value, $operation);
            $printed[] = $measurement->nanoseconds ?? throw new RuntimeException($measurement->problem);
        }
        // Other processes only slow samples down, so the minima are compared.
        $off = min($printed) - min($known);
        $wrong = abs($off) > max(2.0, 0.03 * min($known));
        $isOff = $isOff || $wrong;
        printf(
            "%s of %6d ns: takes %s, measured as %s: off by %+.1f ns, %+.1f%%%s\n",
            $operation->value,
            $delay,
            Figure::duration(min($known)),
            Figure::duration(min($printed)),
            $off,
            100 * $off / min($known),
            $wrong ? '  TOO MUCH' : '',
        );
    }
}
exit($isOff ? 1 : 0);

<?php

declare(strict_types=1);

namespace Larder\Lab\Figures;

use Larder\Cli\Stampede\Fork;

/**
 * A worker that never ends a request. It fetches one value per job, in a million jobs, while another process keeps
 * storing new values under the same key. The worker reads both caches in turn.
 */
final class WorkerRows
{
    private const JOBS = 1_000_000;

    /** Bytes by which the process may grow in all of its jobs. */
    private const GROWTH = 4 << 20;

    /** @return list<Row> */
    public static function all(): array
    {
        $rows = [];
        foreach ([
            '10' => ['10 bytes', 1, static fn(int $n): string => \sprintf('%010d', $n)],
            '100' => ['100 bytes', 1, static fn(int $n): string => str_pad("$n ", 100, 'x')],
            '1k' => ['1 KiB', 1, static fn(int $n): string => str_pad("$n ", 1 << 10, 'x')],
            '16k' => ['16 KiB', 10, static fn(int $n): string => str_pad("$n ", 16 << 10, 'x')],
            '128k' => ['128 KiB', 100, static fn(int $n): string => str_pad("$n ", 128 << 10, 'x')],
            'four' => ['an array of 4', 1, static fn(int $n): array => ['id' => $n, 'name' => "name $n", 'price' => $n / 8, 'on' => true]],
            'table' => ['the 50 x 50 array', 1000, static fn(int $n): array => [['column0' => "value $n"] + Values::table()[0], ...Values::table()]],
        ] as $name => [$value, $part, $make]) {
            $rows[] = new Row("worker-$name", "fetch $value in a worker while another process stores new ones", 'APCu', 0.5, [], static fn(int $rounds): array => self::measure($make, $part, $rounds));
        }

        return $rows;
    }

    /**
     * @param \Closure(int): (string|array<mixed>) $make the nth value
     * @param int $part APCu does only one of this many jobs, because a million would take minutes
     * @return non-empty-list<array{float, float}>
     */
    private static function measure(\Closure $make, int $part, int $rounds): array
    {
        self::store($make, 0);
        $writer = Fork::start(static function () use ($make): array {
            for ($n = 1; true; $n++) {
                self::store($make, $n);
            }
        });
        $jobs = intdiv(self::JOBS, $rounds);
        $ours = static function () use ($jobs): float {
            $start = hrtime(true);
            for ($i = 0; $i < $jobs; $i++) {
                $value = larder_fetch('figure');
            }

            return (hrtime(true) - $start) / $jobs;
        };
        $theirs = static function () use ($jobs, $part): float {
            $jobs = max(1, intdiv($jobs, $part));
            $start = hrtime(true);
            for ($i = 0; $i < $jobs; $i++) {
                $value = apcu_fetch('figure');
            }

            return (hrtime(true) - $start) / $jobs;
        };
        try {
            Pair::interleave($ours, $theirs, 2); // warms both up
            $before = self::resident();
            $pairs = Pair::interleave($ours, $theirs, $rounds);
            $growth = self::resident() - $before;
        } finally {
            $writer->kill();
        }
        if ($growth > self::GROWTH) {
            throw new \RuntimeException("the process has grown by $growth bytes in its jobs");
        }

        return $pairs;
    }

    /** @param \Closure(int): (string|array<mixed>) $make */
    private static function store(\Closure $make, int $number): void
    {
        $value = $make($number);
        larder_store('figure', $value);
        apcu_store('figure', $value);
    }

    /** Bytes of private memory of this process. */
    private static function resident(): int
    {
        return preg_match('/^RssAnon:\s+(\d+) kB/m', (string) file_get_contents('/proc/self/status'), $match) === 1
            ? (int) $match[1] << 10
            : throw new \RuntimeException('the system does not report the memory of the process');
    }
}

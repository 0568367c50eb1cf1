<?php

declare(strict_types=1);

namespace Larder\Lab\Failover;

use Larder\Cli\Stampede\Fork;
use Larder\Tests\Driver\Redis\Topology\RedisNodes;

/** The outcomes of a scenario, as its clients see them. */
final class Outcomes
{
    public const PROCESSES = 4;
    private const RATE = 250;
    /** Seconds before the event; the minimum after it; the minimum in total. */
    private const CALM = 2.0;
    private const AFTER = 4.0;
    private const SECONDS = 10.0;
    /** Seconds by which a lease may end late: servers count milliseconds, and do not check the clock all the time. */
    private const TICK = 0.02;

    private function __construct(
        public readonly float $serversTook,
        public readonly float $recovery,
        public readonly int $operations,
        public readonly float $seconds,
        public readonly int $notServed,
        public readonly int $late,
        public readonly int $threw,
        public readonly int $wrong,
        public readonly int $lost,
        public readonly int $overdueLeases,
        public readonly float $longest,
        public readonly int $crashed,
        private readonly float $soon,
    ) {}

    /** @param \Closure(): Client $client */
    public static function of(Scenario $scenario, RedisNodes $nodes, \Closure $client): self
    {
        $victim = $scenario->victim($nodes);
        $concerns = $scenario->concerns($nodes, $victim);
        $concerned = [];
        for ($process = 0; $process < self::PROCESSES; ++$process) {
            for ($i = 0; $i < Load::KEYS; ++$i) {
                $concerned[$process][$i] = $concerns(Load::key($process, $i));
            }
        }
        $end = $nodes->directory . '/load-ends';
        $begin = Load::now();
        $forks = [];
        for ($process = 0; $process < self::PROCESSES; ++$process) {
            $forks[] = Fork::start(static fn(): array => (new Load($process))->run($client(), self::RATE, $end, $scenario->shares()));
        }
        usleep((int) (1e6 * self::CALM));
        $start = Load::now();
        $ready = $scenario->happen($nodes, $victim);
        usleep((int) (1e6 * max(self::AFTER, $begin + self::SECONDS - Load::now())));
        touch($end);
        $logs = [];
        foreach ($forks as $process => $fork) {
            try {
                $logs[$process] = array_chunk($fork->result(microtime(true) + 60.0), 6);
            } catch (\RuntimeException) {
                $fork->kill(); // a crashed client, or one that hangs
            }
        }

        return self::summed($logs, $concerned, $start, $ready, $scenario->soon());
    }

    public function isRight(): bool
    {
        return $this->crashed === 0 && $this->threw === 0 && $this->wrong === 0 && $this->late === 0 && $this->overdueLeases === 0 && $this->recovery <= $this->soon;
    }

    /**
     * @param array<int, list<list<float>>> $logs results of Load, by process; without crashed processes
     * @param array<int, array<int, bool>> $concerned true if the event affects the key, by process and number of the
     *         key
     * @param float $start time of the event
     * @param float $ready time when the servers had handled the event
     * @param float $soon seconds after $ready within which all keys must be served again
     */
    private static function summed(array $logs, array $concerned, float $start, float $ready, float $soon): self
    {
        $counts = array_fill(0, 6, 0);
        $late = $operations = 0;
        $begin = \INF;
        $end = 0.0;
        $recovery = $logs === [] ? \INF : 0.0;
        $longest = 0.0;
        $leases = [];
        foreach ($logs as $process => $log) {
            $first = \INF;
            foreach ($log as [$began, $ended, $key, $what, $outcome, $lost]) {
                [$key, $what, $outcome] = [(int) $key, (int) $what, (int) $outcome];
                ++$operations;
                $begin = min($begin, $began);
                $end = max($end, $ended);
                if ($outcome === Load::LOST && $lost > $ready + $soon) {
                    $outcome = Load::WRONG; // the write was late enough to reach a server that stayed in charge
                }
                $longest = max($longest, $ended - $began);
                $isKept = $what === Load::ACQUIRE && $outcome === Load::NOT_SERVED; // another process may hold it
                if (!$isKept) {
                    ++$counts[$outcome];
                }
                if ($what === Load::ACQUIRE) {
                    $leases[$key][] = [$began, $ended, $outcome];
                } elseif ($outcome === Load::SERVED && $began >= $ready && $what !== Load::COUNT && $concerned[$process][$key]) {
                    $first = min($first, $ended - $ready);
                } elseif (\in_array($outcome, [Load::NOT_SERVED, Load::THREW], true) && $began > $ready + $soon) {
                    ++$late;
                }
            }
            $recovery = max($recovery, $first);
        }

        return new self(
            $ready - $start,
            $recovery,
            $operations,
            max(0.0, $end - $begin),
            $counts[Load::NOT_SERVED] + $counts[Load::DROPPED],
            $late,
            $counts[Load::THREW],
            $counts[Load::WRONG],
            $counts[Load::LOST],
            array_sum(array_map(static fn(array $of): int => self::overdue($of, $ready + $soon), $leases)),
            $longest,
            self::PROCESSES - \count($logs),
            $soon,
        );
    }

    /**
     * @param list<array{float, float, int}> $log of one lease
     * @param float $from time from which all keys are served
     * @return int number of failed tries to acquire while no process held the lease or was acquiring it
     */
    private static function overdue(array $log, float $from): int
    {
        $acquired = array_filter($log, static fn(array $entry): bool => $entry[2] === Load::SERVED);
        $overdue = 0;
        foreach ($log as [$began, $ended, $outcome]) {
            if ($outcome === Load::NOT_SERVED && $began > $from) {
                $holders = array_filter($acquired, static fn(array $entry): bool => $entry[0] <= $ended && $entry[1] + Load::LEASE + self::TICK >= $began);
                $overdue += $holders === [] ? 1 : 0;
            }
        }

        return $overdue;
    }
}

<?php

declare(strict_types=1);

namespace Larder\Cli\Workload;

use Larder\Contract\Store;

/**
 * Gets and sets of one process on a store that others use too. All keys exist from the start. Each key has two values,
 * which writers store alternately, so readers can check what they get.
 *
 * Keys and operations are chosen beforehand. Gets are checked after the clock has stopped.
 */
final class Traffic
{
    public const KEYS = 1_000;
    public const VALUE_BYTES = 1_000;

    /** Operations of a process, repeated until the time is over. A power of two. */
    private const OPERATIONS = 1 << 13;
    private const LAST = self::OPERATIONS - 1;

    /** Operations between two readings of the clock if single operations are not timed. */
    private const CHUNK = 64;

    private const EMPTY_CHUNKS = 64;

    /** Nanoseconds before a scheduled start at which a process stops sleeping and polls the clock. */
    private const SLEEP = 200_000;

    /** Nanoseconds after the end in which late operations are still started. */
    private const GRACE = 50_000_000;

    /** @var list<int> */
    private readonly array $sequence;

    /** @var list<bool> */
    private readonly array $isSet;

    /** @var list<string> */
    private readonly array $names;

    /** @var list<string> */
    private readonly array $even;

    /** @var list<string> */
    private readonly array $odd;

    /**
     * @param int $reads percent of the operations that are gets
     * @param int $process number of the process: each has other operations
     */
    public function __construct(private readonly Store $store, int $reads, Keys $keys, int $process)
    {
        $this->sequence = $keys->sequence(self::KEYS, self::OPERATIONS, $process);
        $this->isSet = Keys::sets($reads, self::OPERATIONS, $process);
        [$this->names, $this->even, $this->odd] = self::entries();
    }

    /**
     * Stores each key for the first time.
     *
     * @throws \RuntimeException if the store does not accept them
     */
    public static function fill(Store $store): void
    {
        [$names, $values] = self::entries();
        foreach ($names as $i => $name) {
            if (!$store->set($name, $values[$i])) {
                throw new \RuntimeException(\sprintf('refuses value %d of %d', $i + 1, self::KEYS));
            }
        }
    }

    /** Nanoseconds that a pair of clock readings adds to a measurement: the median of many. */
    public static function clock(): int
    {
        $pairs = [];
        for ($i = 0; $i < 1_001; ++$i) {
            $start = \hrtime(true);
            $end = \hrtime(true);
            $pairs[] = $end - $start;
        }
        sort($pairs);

        return $pairs[500];
    }

    /** Times each operation, and subtracts the time of the pair of clock readings. */
    public function timed(int $nanoseconds, Findings $findings): void
    {
        [$store, $sequence, $isSet, $names, $even, $odd] = $this->parts();
        $clock = self::clock();
        $gets = $sets = [];
        $n = 0;
        $until = \hrtime(true) + $nanoseconds;
        do {
            $key = $sequence[$n & self::LAST];
            $name = $names[$key];
            if ($isSet[$n & self::LAST]) {
                $value = ($n & 1) === 1 ? $odd[$key] : $even[$key];
                $start = \hrtime(true);
                $isStored = $store->set($name, $value);
                $end = \hrtime(true);
                $sets[] = $end - $start;
                if (!$isStored) {
                    ++$findings->refused;
                }
            } else {
                $start = \hrtime(true);
                $value = $store->get($name);
                $end = \hrtime(true);
                $gets[] = $end - $start;
                if ($value !== $even[$key] && $value !== $odd[$key]) {
                    $value === null ? ++$findings->lost : ++$findings->wrong;
                }
            }
            ++$n;
        } while ($end < $until);
        $findings->operations += $n;
        foreach ($gets as $time) {
            $findings->gets->record((int) max(0, $time - $clock));
        }
        foreach ($sets as $time) {
            $findings->sets->record((int) max(0, $time - $clock));
        }
    }

    /**
     * Counts operations without reading the clock around each. Subtracts the time of the same loop without the store.
     */
    public function counted(int $nanoseconds, Findings $findings): void
    {
        $start = \hrtime(true);
        $until = $start + $nanoseconds;
        $operations = 0;
        do {
            $this->chunk($operations, $findings);
            $operations += self::CHUNK;
        } while (\hrtime(true) < $until);
        $full = \hrtime(true) - $start;
        $findings->operations += $operations;
        $findings->rate += 1e9
            * $operations
            / max(1.0, $full - $operations / self::CHUNK * $this->emptyChunks($findings));
    }

    /**
     * Starts operations at a constant rate, and times each from its scheduled start. So a slow operation also counts
     * for those that wait for it. An operation that could not be started before the end counts with its waiting time so
     * far.
     *
     * @param float $rate operations in a second
     */
    public function atRate(float $rate, int $nanoseconds, Findings $findings): void
    {
        [$store, $sequence, $isSet, $names, $even, $odd] = $this->parts();
        $clock = self::clock();
        $interval = 1e9 / $rate;
        $planned = max(1, (int) ($nanoseconds / $interval));
        $start = \hrtime(true);
        $end = $start;
        $n = 0;
        for (; $n < $planned && $end - $start < $nanoseconds + self::GRACE; ++$n) {
            $intended = $start + (int) ($n * $interval);
            while (($now = \hrtime(true)) < $intended) {
                if ($intended - $now > self::SLEEP) {
                    usleep(intdiv($intended - $now - self::SLEEP, 1_000));
                }
            }
            $key = $sequence[$n & self::LAST];
            if ($isSet[$n & self::LAST]) {
                $isStored = $store->set($names[$key], ($n & 1) === 1 ? $odd[$key] : $even[$key]);
                $end = \hrtime(true);
                $findings->sets->record((int) max(0, $end - $intended - $clock));
                if (!$isStored) {
                    ++$findings->refused;
                }
            } else {
                $value = $store->get($names[$key]);
                $end = \hrtime(true);
                $findings->gets->record((int) max(0, $end - $intended - $clock));
                if ($value !== $even[$key] && $value !== $odd[$key]) {
                    $value === null ? ++$findings->lost : ++$findings->wrong;
                }
            }
        }
        for ($omitted = $n; $omitted < $planned; ++$omitted) {
            $late = (int) max(0, $end - $start - (int) ($omitted * $interval));
            $isSet[$omitted & self::LAST] ? $findings->sets->record($late) : $findings->gets->record($late);
        }
        $findings->operations += $n;
        $findings->rate += 1e9 * $n / max($nanoseconds, $end - $start);
    }

    private function chunk(int $from, Findings $findings): void
    {
        [$store, $sequence, $isSet, $names, $even, $odd] = $this->parts();
        for ($n = $from, $to = $from + self::CHUNK; $n < $to; ++$n) {
            $key = $sequence[$n & self::LAST];
            if ($isSet[$n & self::LAST]) {
                $isStored = $store->set($names[$key], ($n & 1) === 1 ? $odd[$key] : $even[$key]);
                if (!$isStored) {
                    ++$findings->refused;
                }
            } else {
                $value = $store->get($names[$key]);
                if ($value !== $even[$key] && $value !== $odd[$key]) {
                    $value === null ? ++$findings->lost : ++$findings->wrong;
                }
            }
        }
    }

    /** Nanoseconds of a chunk without the store, whose checks run on local strings: the median of many. */
    private function emptyChunks(Findings $findings): int
    {
        [, $read] = self::entries();
        $times = [];
        for ($i = 0; $i < 2 * self::EMPTY_CHUNKS; ++$i) {
            $start = \hrtime(true);
            $this->emptyChunk($i * self::CHUNK, $read, $findings);
            $times[] = \hrtime(true) - $start;
        }
        sort($times);

        return $times[self::EMPTY_CHUNKS];
    }

    /**
     * chunk(), without the store.
     *
     * @param list<string> $read replaces the values of a store
     */
    private function emptyChunk(int $from, array $read, Findings $findings): void
    {
        [, $sequence, $isSet, , $even, $odd] = $this->parts();
        for ($n = $from, $to = $from + self::CHUNK; $n < $to; ++$n) {
            $key = $sequence[$n & self::LAST];
            if ($isSet[$n & self::LAST]) {
                $isStored = ($n & 1) === 1 ? $odd[$key] : $even[$key];
                if ($isStored === '') {
                    ++$findings->refused;
                }
            } else {
                $value = $read[$key];
                if ($value !== $even[$key] && $value !== $odd[$key]) {
                    $value === '' ? ++$findings->lost : ++$findings->wrong;
                }
            }
        }
    }

    /**
     * @return array{Store, list<int>, list<bool>, list<string>, list<string>, list<string>} for local variables, which
     *         are faster in loops
     */
    private function parts(): array
    {
        return [$this->store, $this->sequence, $this->isSet, $this->names, $this->even, $this->odd];
    }

    /** @return array{list<string>, list<string>, list<string>} keys, and two values of each */
    private static function entries(): array
    {
        $names = $even = $odd = [];
        for ($i = 0; $i < self::KEYS; ++$i) {
            $names[] = \sprintf('workload-%d', $i);
            $even[] = str_pad(\sprintf('%d even ', $i), self::VALUE_BYTES, hash('sha256', (string) $i));
            $odd[] = str_pad(\sprintf('%d odd ', $i), self::VALUE_BYTES, hash('sha256', (string) $i));
        }

        return [$names, $even, $odd];
    }
}

<?php

declare(strict_types=1);

namespace Larder\Lab\Failover;

/**
 * The operations of one process, with their outcomes. They begin at a fixed rate. A late operation begins as soon as it
 * can, and none is left out.
 *
 * Every value contains its key and a number that grows with each write, and no other process writes these keys. So the
 * test notices a value that is wrong, older than a confirmed one, or restored after an older one was read. It also
 * notices a counter that grew by more than the requested increments.
 */
final class Load
{
    public const KEYS = 120;
    public const COUNTERS = 60;
    public const LEASES = 20;
    public const LEASE = 0.4;

    /** Outcomes of an operation. */
    public const SERVED = 0;
    public const NOT_SERVED = 1;
    public const THREW = 2;
    public const WRONG = 3;
    public const LOST = 4;
    /** A missing value whose last write was not confirmed. */
    public const DROPPED = 5;

    /** Kinds of operations. */
    public const GET = 0;
    public const SET = 1;
    public const COUNT = 2;
    public const ACQUIRE = 3;

    /** @var array<string, int> number of the value last read or confirmed as written, or a counter's value */
    private array $confirmed = [];

    /** @var array<string, float> start time of that operation */
    private array $since = [];

    /**
     * @var array<string, array<int, true>> numbers of unconfirmed writes, which the server may have executed, or may
     *         still execute
     */
    private array $unsure = [];

    /** @var array<string, int> number of unconfirmed increments */
    private array $unsureCounts = [];

    /** @var array<string, true> keys whose last write was not confirmed */
    private array $dropped = [];

    /** Start time of the write whose loss the last operation found; 0.0 if it found none. */
    private float $lost = 0.0;

    private int $number = 0;

    public function __construct(private readonly int $process) {}

    public static function key(int $process, int $i): string
    {
        return \sprintf('p%d:%d', $process, $i);
    }

    /**
     * @param int $rate operations a second
     * @param string $end name of a file; the run ends when the file exists and no operation is late
     * @param array<int, int> $shares percent of the operations, by kind
     * @return list<int|float> six numbers for each operation: start and end (seconds, monotonic), the key's number,
     *         kind, outcome, and the start of the write whose loss it found
     */
    public function run(Client $client, int $rate, string $end, array $shares): array
    {
        $log = [];
        for ($i = 0; $i < self::KEYS; ++$i) {
            $this->write($client, self::key($this->process, $i));
        }
        $first = self::now();
        for ($number = 0;; ++$number) {
            $left = $first + $number / $rate - self::now();
            if ($left > 0 && file_exists($end)) {
                break;
            }
            usleep(max(0, (int) (1e6 * $left)));
            $dice = random_int(1, 100);
            $what = self::GET;
            while ($dice > $shares[$what]) {
                $dice -= $shares[$what++];
            }
            $i = random_int(0, match ($what) {
                self::ACQUIRE => self::LEASES,
                self::COUNT => self::COUNTERS,
                default => self::KEYS,
            } - 1);
            $start = self::now();
            $this->lost = 0.0;

            try {
                $outcome = match ($what) {
                    self::GET => $this->read($client, self::key($this->process, $i)),
                    self::SET => $this->write($client, self::key($this->process, $i)),
                    self::COUNT => $this->count($client, \sprintf('c%d:%d', $this->process, $i)),
                    default => $client->lease("lease$i", self::LEASE) ? self::SERVED : self::NOT_SERVED,
                };
            } catch (\Throwable) {
                $outcome = self::THREW;
            }
            array_push($log, $start, self::now(), $i, $what, $outcome, $this->lost);
        }

        return $log;
    }

    public static function now(): float
    {
        return hrtime(true) / 1e9;
    }

    private function write(Client $client, string $key): int
    {
        $number = ++$this->number;
        $start = self::now();
        $this->unsure[$key][$number] = $this->dropped[$key] = true; // set first, because the client may throw
        if (!$client->set($key, "$key=$number=" . str_repeat('x', 200))) {
            return self::NOT_SERVED;
        }
        unset($this->unsure[$key][$number], $this->dropped[$key]);
        $this->confirmed[$key] = $number;
        $this->since[$key] = $start;

        return self::SERVED;
    }

    private function read(Client $client, string $key): int
    {
        $value = $client->get($key);
        if ($value === null) {
            return isset($this->dropped[$key]) ? self::DROPPED : self::NOT_SERVED;
        }
        [$itsKey, $number, $rest] = [...explode('=', $value, 3), '', ''];
        if ($itsKey !== $key || $rest !== str_repeat('x', 200) || (int) $number < 1 || (int) $number > $this->number) {
            return self::WRONG;
        }
        [$number, $last] = [(int) $number, $this->confirmed[$key] ?? 0];
        if ($number > $last && !isset($this->unsure[$key][$number])) {
            return self::WRONG; // a lost value has returned: servers disagree
        }
        $this->confirmed[$key] = $number;

        return $number < $last ? $this->lost($key) : self::SERVED;
    }

    private function count(Client $client, string $key): int
    {
        $start = self::now();
        $unsure = $this->unsureCounts[$key] ?? 0;
        $this->unsureCounts[$key] = $unsure + 1; // set first, because the client may throw
        $sum = $client->increment($key);
        if ($sum === null) {
            return self::NOT_SERVED;
        }
        $grown = $sum - ($this->confirmed[$key] ?? 0);
        $this->unsureCounts[$key] = max(0, $unsure - max(0, $grown - 1));
        $this->confirmed[$key] = $sum;
        $outcome = match (true) {
            $grown > 1 + $unsure => self::WRONG, // an increment was executed twice
            $grown < 1 => $this->lost($key),
            default => self::SERVED,
        };
        $this->since[$key] = $start;

        return $outcome;
    }

    private function lost(string $key): int
    {
        $this->lost = $this->since[$key] ?? 0.0;

        return self::LOST;
    }
}

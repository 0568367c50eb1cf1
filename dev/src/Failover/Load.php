<?php

declare(strict_types=1);

namespace Larder\Dev\Failover;

/**
 * The operations of one process, at a fixed rate, each with what came of it. Every value names its key and a number that
 * grows with each write, and nobody else writes these keys, so a value that is wrong or older than a confirmed one is noticed.
 */
final class Load
{
    public const KEYS = 120;
    public const LEASES = 20;
    public const LEASE = 0.4;

    /** What came of an operation. */
    public const SERVED = 0;
    public const NOT_SERVED = 1;
    public const THREW = 2;
    public const WRONG = 3;
    public const LOST = 4;

    /** What it was. */
    public const GET = 0;
    public const SET = 1;
    public const ACQUIRE = 2;

    /** @var array<string, int> the number of the last confirmed write */
    private array $confirmed = [];

    private int $number = 0;

    public function __construct(private readonly int $process) {}

    public static function key(int $process, int $i): string
    {
        return \sprintf('p%d:%d', $process, $i);
    }

    /**
     * @param int $rate operations a second
     * @return list<int|float> five for each: when it began and ended (seconds, monotonic), the key's number, what it was, what
     *                         came of it
     */
    public function run(Client $client, int $rate, float $seconds): array
    {
        $log = [];
        $end = self::now() + $seconds;
        for ($i = 0; $i < self::KEYS; ++$i) {
            $this->write($client, self::key($this->process, $i));
        }
        for ($next = self::now(); $next < $end; $next = max($next + 1 / $rate, self::now())) {
            usleep(max(0, (int) (1e6 * ($next - self::now()))));
            $dice = random_int(1, 100);
            $what = $dice <= 55 ? self::GET : ($dice <= 90 ? self::SET : self::ACQUIRE);
            $i = random_int(0, ($what === self::ACQUIRE ? self::LEASES : self::KEYS) - 1);
            $start = self::now();

            try {
                $outcome = match ($what) {
                    self::GET => $this->read($client, self::key($this->process, $i)),
                    self::SET => $this->write($client, self::key($this->process, $i)),
                    self::ACQUIRE => $client->lease("lease$i", self::LEASE) ? self::SERVED : self::NOT_SERVED,
                };
            } catch (\Throwable) {
                $outcome = self::THREW;
            }
            array_push($log, $start, self::now(), $i, $what, $outcome);
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
        if (!$client->set($key, "$key=$number=" . str_repeat('x', 200))) {
            return self::NOT_SERVED;
        }
        $this->confirmed[$key] = $number;

        return self::SERVED;
    }

    private function read(Client $client, string $key): int
    {
        $value = $client->get($key);
        if ($value === null) {
            return self::NOT_SERVED;
        }
        [$itsKey, $number, $rest] = [...explode('=', $value, 3), '', ''];
        if ($itsKey !== $key || $rest !== str_repeat('x', 200) || (int) $number < 1 || (int) $number > $this->number) {
            return self::WRONG;
        }
        $isOlder = (int) $number < ($this->confirmed[$key] ?? 0);
        $this->confirmed[$key] = (int) $number;

        return $isOlder ? self::LOST : self::SERVED;
    }
}

<?php

declare(strict_types=1);

namespace Larder\Lab\Failover;

/** The control for increments that are executed twice: it repeats an unconfirmed increment until it is confirmed. */
final class RepeatingClient implements Client
{
    /** Seconds. */
    private const LONGEST = 15.0;

    public function __construct(private readonly Client $larder) {}

    public function get(string $key): ?string
    {
        return $this->larder->get($key);
    }

    public function set(string $key, string $value): bool
    {
        return $this->larder->set($key, $value);
    }

    public function increment(string $key): ?int
    {
        $end = Load::now() + self::LONGEST;
        $sum = $this->larder->increment($key);
        while ($sum === null && Load::now() < $end) {
            usleep(50_000);
            $sum = $this->larder->increment($key);
        }

        return $sum;
    }

    public function lease(string $key, float $seconds): bool
    {
        return $this->larder->lease($key, $seconds);
    }
}

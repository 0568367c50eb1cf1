<?php

declare(strict_types=1);

namespace Larder\Lab\Overhead;

use Larder\Contract\Store;
use Larder\Driver\Common\LoopedBatch;

/** Keeps values in the process. Each get and set takes the same time. */
final class BusyStore implements Store
{
    use LoopedBatch;

    /** @var array<string, mixed> */
    private array $values = [];

    /**
     * @param int $nanoseconds wait of each get and set, by the clock
     * @param int $turns iterations of a loop, for waits that are only a few of the clock's steps long
     */
    public function __construct(private readonly int $nanoseconds, private readonly int $turns = 0) {}

    public function get(string $key, mixed $default = null): mixed
    {
        $end = $this->nanoseconds === 0 ? 0 : \hrtime(true) + $this->nanoseconds;
        for ($turn = 0; $turn < $this->turns; ++$turn) {
        }
        while ($end !== 0 && \hrtime(true) < $end) {
        }

        return $this->values[$key] ?? $default;
    }

    public function has(string $key): bool
    {
        return isset($this->values[$key]);
    }

    public function set(string $key, mixed $value, int|float $ttl = 0): bool
    {
        $end = $this->nanoseconds === 0 ? 0 : \hrtime(true) + $this->nanoseconds;
        for ($turn = 0; $turn < $this->turns; ++$turn) {
        }
        while ($end !== 0 && \hrtime(true) < $end) {
        }
        $this->values[$key] = $value;

        return true;
    }

    public function delete(string $key): bool
    {
        unset($this->values[$key]);

        return true;
    }

    public function clear(): bool
    {
        $this->values = [];

        return true;
    }
}

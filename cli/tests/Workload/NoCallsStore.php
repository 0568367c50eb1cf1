<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Workload;

use Larder\Contract\Store;
use Larder\Driver\Common\LoopedBatch;

/** Keeps values in an array of the process. */
final class NoCallsStore implements Store
{
    use LoopedBatch;

    /** @var array<string, mixed> */
    private array $values = [];

    public function get(string $key, mixed $default = null): mixed
    {
        return $this->values[$key] ?? $default;
    }

    public function has(string $key): bool
    {
        return isset($this->values[$key]);
    }

    public function set(string $key, mixed $value, int|float $ttl = 0): bool
    {
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

<?php

declare(strict_types=1);

namespace Larder\Cli\Workload;

use Larder\Contract\Store;
use Larder\Driver\Common\LoopedBatch;
use Yac;

/** Yac used as in its own documentation, without the checksums and retries of Larder's store. */
final class RawYac implements Store
{
    use LoopedBatch;

    private readonly Yac $yac;

    public function __construct()
    {
        $this->yac = new Yac();
    }

    public function get(string $key, mixed $default = null): mixed
    {
        $value = $this->yac->get($key);

        return $value === false ? $default : $value;
    }

    public function has(string $key): bool
    {
        return $this->yac->get($key) !== false;
    }

    public function set(string $key, mixed $value, int|float $ttl = 0): bool
    {
        return $this->yac->set($key, $value, (int) $ttl) === true;
    }

    public function delete(string $key): bool
    {
        return $this->yac->delete($key) === true;
    }

    public function clear(): bool
    {
        return $this->yac->flush();
    }
}

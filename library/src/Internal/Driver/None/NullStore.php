<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\None;

use Larder\Contract\Store;
use Larder\Driver\Common\LoopedBatch;
use Larder\Key\Key;
use Larder\Key\Ttl;

/** Keeps nothing: every get is a miss, every set succeeds. For switching a cache off. */
final class NullStore implements Store
{
    use LoopedBatch;

    public function get(string $key, mixed $default = null): mixed
    {
        Key::check($key);

        return $default;
    }

    public function has(string $key): bool
    {
        Key::check($key);

        return false;
    }

    public function set(string $key, mixed $value, int|float $ttl = 0): bool
    {
        Key::check($key);
        Ttl::seconds($ttl);

        return true;
    }

    public function delete(string $key): bool
    {
        Key::check($key);

        return true;
    }

    public function clear(): bool
    {
        return true;
    }
}

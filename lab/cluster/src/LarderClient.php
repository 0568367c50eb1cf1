<?php

declare(strict_types=1);

namespace Larder\Lab\Failover;

use Larder\Cache;
use Larder\Contract\LockLifetime;
use Psr\Log\NullLogger;

/** Larder, opened by a DSN. */
final class LarderClient implements Client
{
    private readonly Cache $cache;

    public function __construct(string $dsn)
    {
        $this->cache = Cache::open($dsn, new NullLogger());
    }

    public function get(string $key): ?string
    {
        $value = $this->cache->get($key);

        return \is_string($value) ? $value : null;
    }

    public function set(string $key, string $value): bool
    {
        return $this->cache->set($key, $value);
    }

    public function increment(string $key): ?int
    {
        $sum = $this->cache->increment($key);

        return $sum === false ? null : $sum;
    }

    public function lease(string $key, float $seconds): bool
    {
        return $this->cache->lock($key, $seconds, ends: LockLifetime::Ttl) !== null;
    }
}

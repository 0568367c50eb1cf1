<?php

declare(strict_types=1);

namespace Larder\Lab\Failover;

use Larder\Exception\StoreFailed;
use Larder\Internal\Driver\Redis\RedisStore;

/** The control for outdated values: it reads from the first master, even after a failover, if that server answers. */
final class StaleClient implements Client
{
    public function __construct(private readonly Client $larder, private readonly RedisStore $first) {}

    public function get(string $key): ?string
    {
        try {
            /** @throws StoreFailed */
            $value = $this->first->get($key);
        } catch (StoreFailed) {
            $value = null;
        }

        return \is_string($value) ? $value : $this->larder->get($key);
    }

    public function set(string $key, string $value): bool
    {
        return $this->larder->set($key, $value);
    }

    public function increment(string $key): ?int
    {
        return $this->larder->increment($key);
    }

    public function lease(string $key, float $seconds): bool
    {
        return $this->larder->lease($key, $seconds);
    }
}

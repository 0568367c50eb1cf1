<?php

declare(strict_types=1);

namespace Larder\Tests\Http;

use Larder\Contract\Store;

/** A store that only keeps values, without atomic operations. */
final class PlainStore implements Store
{
    public function __construct(private readonly Store $store) {}

    public function get(string $key, mixed $default = null): mixed
    {
        return $this->store->get($key, $default);
    }

    public function getMany(array $keys, mixed $default = null): array
    {
        return $this->store->getMany($keys, $default);
    }

    public function has(string $key): bool
    {
        return $this->store->has($key);
    }

    public function set(string $key, mixed $value, int|float $ttl = 0): bool
    {
        return $this->store->set($key, $value, $ttl);
    }

    public function setMany(array $values, int|float $ttl = 0): bool
    {
        return $this->store->setMany($values, $ttl);
    }

    public function delete(string $key): bool
    {
        return $this->store->delete($key);
    }

    public function deleteMany(array $keys): bool
    {
        return $this->store->deleteMany($keys);
    }

    public function clear(): bool
    {
        return $this->store->clear();
    }
}

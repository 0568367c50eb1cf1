<?php

declare(strict_types=1);

namespace Larder\Tests\Decorator;

use Larder\Contract\AtomicStore;
use Larder\Contract\Capability;
use Larder\Contract\Store;
use Larder\Decorator\StoreDecorator;

/** Keeps strings in reverse, as a decorator of an application may encrypt them. */
final class ReversingStore extends StoreDecorator
{
    public function __construct(private readonly Store $store) {}

    public function decorated(): Store
    {
        return $this->store;
    }

    public function get(string $key, mixed $default = null): mixed
    {
        $value = $this->store->get($key, $this);

        return $value === $this ? $default : self::reversed($value);
    }

    public function getMany(array $keys, mixed $default = null): array
    {
        $values = [];
        foreach ($keys as $key) {
            $values[$key] = $this->get($key, $default);
        }

        return $values;
    }

    public function has(string $key): bool
    {
        return $this->store->has($key);
    }

    public function set(string $key, mixed $value, int|float $ttl = 0): bool
    {
        return $this->store->set($key, self::reversed($value), $ttl);
    }

    public function setMany(array $values, int|float $ttl = 0): bool
    {
        return $this->store->setMany(array_map(self::reversed(...), $values), $ttl);
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

    public function setIf(string $key, \Closure $isExpected, mixed $value, int|float $ttl = 0): bool
    {
        return Capability::of($this->store, AtomicStore::class)->setIf($key, static fn(mixed $there): bool => $isExpected(self::reversed($there)), self::reversed($value), $ttl);
    }

    private static function reversed(mixed $value): mixed
    {
        return \is_string($value) ? strrev($value) : $value;
    }
}

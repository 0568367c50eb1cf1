<?php

declare(strict_types=1);

namespace Larder\Decorator;

use Larder\Contract\AtomicStore;
use Larder\Contract\Capability;
use Larder\Contract\ExpiryAwareStore;
use Larder\Contract\Tokens;
use Larder\Contract\TokenStore;

/**
 * A decorator that leaves values as they are: the store behind may read, change and compare them without a get() or
 * set() here.
 */
abstract class TransparentDecorator extends StoreDecorator implements
    AtomicStore,
    ExpiryAwareStore,
    TokenStore
{
    public function get(string $key, mixed $default = null): mixed
    {
        return $this->decorated()->get($key, $default);
    }

    public function getMany(array $keys, mixed $default = null): array
    {
        return $this->decorated()->getMany($keys, $default);
    }

    public function has(string $key): bool
    {
        return $this->decorated()->has($key);
    }

    public function set(string $key, mixed $value, int|float $ttl = 0): bool
    {
        return $this->decorated()->set($key, $value, $ttl);
    }

    public function setMany(array $values, int|float $ttl = 0): bool
    {
        return $this->decorated()->setMany($values, $ttl);
    }

    public function delete(string $key): bool
    {
        return $this->decorated()->delete($key);
    }

    public function deleteMany(array $keys): bool
    {
        return $this->decorated()->deleteMany($keys);
    }

    public function clear(): bool
    {
        return $this->decorated()->clear();
    }

    public function add(string $key, mixed $value, int|float $ttl = 0): bool
    {
        return $this->atomic($key, static fn(AtomicStore $behind): bool => $behind->add($key, $value, $ttl));
    }

    public function replace(string $key, mixed $value, int|float $ttl = 0): bool
    {
        return $this->atomic($key, static fn(AtomicStore $behind): bool => $behind->replace($key, $value, $ttl));
    }

    public function increment(string $key, int $step = 1, int $first = 0, int|float $ttl = 0): int|false
    {
        $add = static fn(AtomicStore $store): int|false => $store->increment($key, $step, $first, $ttl);

        return $this->forward(AtomicStore::class, $key, $add, false);
    }

    public function touch(string $key, int|float $ttl): bool
    {
        return $this->atomic($key, static fn(AtomicStore $behind): bool => $behind->touch($key, $ttl));
    }

    public function swap(string $key, int $old, int $new): bool
    {
        return $this->atomic($key, static fn(AtomicStore $behind): bool => $behind->swap($key, $old, $new));
    }

    public function setIf(string $key, \Closure $isExpected, mixed $value, int|float $ttl = 0): bool
    {
        $set = static fn(AtomicStore $behind): bool => $behind->setIf($key, $isExpected, $value, $ttl);

        return $this->atomic($key, $set);
    }

    public function entries(array $keys): array
    {
        return Capability::of($this->decorated(), ExpiryAwareStore::class)->entries($keys);
    }

    public function getWithToken(string $key): ?array
    {
        $read = static fn(AtomicStore $store): ?array => Tokens::read($store, $key);

        return $this->forward(AtomicStore::class, $key, $read, null);
    }

    public function setIfToken(string $key, string $token, mixed $value, int|float $ttl = 0): bool
    {
        $write = static fn(AtomicStore $behind): bool => Tokens::write($behind, $key, $token, $value, $ttl);

        return $this->atomic($key, $write);
    }

    /** @return float seconds until the server of a key, which is out, is asked again; 0.0 while it may be asked */
    public function secondsToProbe(string $key): float
    {
        $store = $this->decorated();

        return $store instanceof self ? $store->secondsToProbe($key) : 0.0;
    }

    /** @param \Closure(AtomicStore): bool $work */
    private function atomic(string $key, \Closure $work): bool
    {
        return $this->forward(AtomicStore::class, $key, $work, false);
    }
}

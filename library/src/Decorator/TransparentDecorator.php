<?php

declare(strict_types=1);

namespace Larder\Decorator;

use Larder\Contract\AtomicStore;
use Larder\Contract\Capability;
use Larder\Contract\ExpiryAwareStore;
use Larder\Contract\Tokens;
use Larder\Contract\TokenStore;

/** Leaves values as they are: so the store behind it may read, change and compare them without a get() or a set() here. */
abstract class TransparentDecorator extends StoreDecorator implements AtomicStore, ExpiryAwareStore, TokenStore
{
    public function add(string $key, mixed $value, int|float $ttl = 0): bool
    {
        return $this->forward(AtomicStore::class, $key, static fn(AtomicStore $store): bool => $store->add($key, $value, $ttl), false);
    }

    public function replace(string $key, mixed $value, int|float $ttl = 0): bool
    {
        return $this->forward(AtomicStore::class, $key, static fn(AtomicStore $store): bool => $store->replace($key, $value, $ttl), false);
    }

    public function increment(string $key, int $step = 1, int $first = 0, int|float $ttl = 0): int|false
    {
        return $this->forward(AtomicStore::class, $key, static fn(AtomicStore $store): int|false => $store->increment($key, $step, $first, $ttl), false);
    }

    public function touch(string $key, int|float $ttl): bool
    {
        return $this->forward(AtomicStore::class, $key, static fn(AtomicStore $store): bool => $store->touch($key, $ttl), false);
    }

    public function swap(string $key, int $old, int $new): bool
    {
        return $this->forward(AtomicStore::class, $key, static fn(AtomicStore $store): bool => $store->swap($key, $old, $new), false);
    }

    public function setIf(string $key, \Closure $isExpected, mixed $value, int|float $ttl = 0): bool
    {
        return $this->forward(AtomicStore::class, $key, static fn(AtomicStore $store): bool => $store->setIf($key, $isExpected, $value, $ttl), false);
    }

    public function entries(array $keys): array
    {
        return Capability::of($this->decorated(), ExpiryAwareStore::class)->entries($keys);
    }

    public function getWithToken(string $key): ?array
    {
        return $this->forward(AtomicStore::class, $key, static fn(AtomicStore $store): ?array => Tokens::read($store, $key), null);
    }

    public function setIfToken(string $key, string $token, mixed $value, int|float $ttl = 0): bool
    {
        return $this->forward(AtomicStore::class, $key, static fn(AtomicStore $store): bool => Tokens::write($store, $key, $token, $value, $ttl), false);
    }
}

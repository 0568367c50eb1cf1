<?php

declare(strict_types=1);

namespace Larder\Decorator;

use Larder\Contract\AtomicStore;
use Larder\Contract\Capability;
use Larder\Contract\Decorator;
use Larder\Contract\ExpiryAwareStore;
use Larder\Contract\ListableStore;
use Larder\Contract\LockingStore;
use Larder\Contract\LockLifetime;
use Larder\Contract\PrunableStore;
use Larder\Exception\NotSupported;

/** Forwards the optional operations, and has the capabilities of the store behind it. For your own decorators too. */
abstract class StoreDecorator implements Decorator, AtomicStore, LockingStore, ListableStore, ExpiryAwareStore, PrunableStore
{
    public function supports(string $interface): bool
    {
        return Capability::from($interface)->isOf($this->decorated());
    }

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

    public function acquire(string $key, float $seconds, LockLifetime $ends = LockLifetime::TtlOrProcess, string $token = ''): string|false|null
    {
        return $this->forward(LockingStore::class, $key, static fn(LockingStore $store): string|false|null => $store->acquire($key, $seconds, $ends, $token), false);
    }

    public function renew(string $key, string $token, float $seconds): bool
    {
        return $this->forward(LockingStore::class, $key, static fn(LockingStore $store): bool => $store->renew($key, $token, $seconds), false);
    }

    public function release(string $key, string $token): bool
    {
        return $this->forward(LockingStore::class, $key, static fn(LockingStore $store): bool => $store->release($key, $token), false);
    }

    public function holder(string $key): ?string
    {
        return $this->forward(LockingStore::class, $key, static fn(LockingStore $store): ?string => $store->holder($key), null);
    }

    public function keys(): iterable
    {
        return Capability::of($this->decorated(), ListableStore::class)->keys();
    }

    public function entries(array $keys): array
    {
        return Capability::of($this->decorated(), ExpiryAwareStore::class)->entries($keys);
    }

    public function prune(): int
    {
        return Capability::of($this->decorated(), PrunableStore::class)->prune();
    }

    /**
     * @template C of object
     * @template R
     * @param class-string<C> $interface AtomicStore or LockingStore
     * @param \Closure(C): R $work what the store behind is asked to do
     * @param R $refused the answer of a store that refuses
     * @return R
     * @throws NotSupported when the store behind cannot
     */
    protected function forward(string $interface, string $key, \Closure $work, mixed $refused): mixed
    {
        return $work(Capability::of($this->decorated(), $interface));
    }
}

<?php

declare(strict_types=1);

namespace Larder\Decorator;

use Larder\Contract\Capability;
use Larder\Contract\Decorator;
use Larder\Contract\ListableStore;
use Larder\Contract\LockingStore;
use Larder\Contract\LockLifetime;
use Larder\Contract\PrunableStore;
use Larder\Exception\NotSupported;

/**
 * Forwards the optional operations that carry no values, as far as the store behind it has them: locks, the list of keys,
 * pruning. For your own decorators too. Those that carry values would bypass one that changes values: one that leaves them
 * as they are extends TransparentDecorator.
 */
abstract class StoreDecorator implements Decorator, LockingStore, ListableStore, PrunableStore
{
    public function supports(string $interface): bool
    {
        return Capability::from($interface)->isOf($this->decorated());
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

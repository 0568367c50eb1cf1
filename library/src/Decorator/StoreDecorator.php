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
 * Forwards the optional operations without values, if the store behind has them: locks, the list of keys, pruning. For
 * your own decorators too. Operations with values would bypass a decorator that changes values. One that leaves them as
 * they are extends TransparentDecorator.
 */
abstract class StoreDecorator implements Decorator, LockingStore, ListableStore, PrunableStore
{
    public function supports(string $interface): bool
    {
        $behind = $this->decorated();

        // As Capability::has(), which a request need not load.
        return $behind instanceof $interface && (!$behind instanceof Decorator || $behind->supports($interface));
    }

    public function acquire(
        string $key,
        float $seconds,
        LockLifetime $ends = LockLifetime::TtlOrProcess,
        string $token = '',
    ): string|false|null {
        $acquire = static fn(LockingStore $store): string|false|null => $store->acquire($key, $seconds, $ends, $token);

        return $this->forward(LockingStore::class, $key, $acquire, false);
    }

    public function renew(string $key, string $token, float $seconds): bool
    {
        $renew = static fn(LockingStore $store): bool => $store->renew($key, $token, $seconds);

        return $this->forward(LockingStore::class, $key, $renew, false);
    }

    public function release(string $key, string $token): bool
    {
        $release = static fn(LockingStore $store): bool => $store->release($key, $token);

        return $this->forward(LockingStore::class, $key, $release, false);
    }

    public function holder(string $key): ?string
    {
        $holder = static fn(LockingStore $store): ?string => $store->holder($key);

        return $this->forward(LockingStore::class, $key, $holder, null);
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
     * @param \Closure(C): R $work to do with the store behind
     * @param R $refused result of a store that refuses
     * @return R
     * @throws NotSupported if the store behind cannot
     */
    protected function forward(string $interface, string $key, \Closure $work, mixed $refused): mixed
    {
        return $work(Capability::of($this->decorated(), $interface));
    }
}

<?php

declare(strict_types=1);

namespace Larder\Decorator;

use Larder\Contract\Adds;
use Larder\Contract\Counts;
use Larder\Contract\LockingStore;
use Larder\Contract\LockLifetime;
use Larder\Contract\Replaces;
use Larder\Contract\SetsIf;
use Larder\Contract\Swaps;
use Larder\Contract\Touches;
use Larder\Exception\NotSupported;

/** What a Decorator has to pass on of what only some stores can do, but for keys() and prune(), as one method. */
trait ForwardsCapabilities
{
    public function add(string $key, mixed $value, int|float $ttl = 0): bool
    {
        return $this->forward(Adds::class, $key, static fn(Adds $store): bool => $store->add($key, $value, $ttl), false);
    }

    public function replace(string $key, mixed $value, int|float $ttl = 0): bool
    {
        return $this->forward(Replaces::class, $key, static fn(Replaces $store): bool => $store->replace($key, $value, $ttl), false);
    }

    public function increment(string $key, int $step = 1, int $first = 0, int|float $ttl = 0): int|false
    {
        return $this->forward(Counts::class, $key, static fn(Counts $store): int|false => $store->increment($key, $step, $first, $ttl), false);
    }

    public function touch(string $key, int|float $ttl): bool
    {
        return $this->forward(Touches::class, $key, static fn(Touches $store): bool => $store->touch($key, $ttl), false);
    }

    public function swap(string $key, int $old, int $new): bool
    {
        return $this->forward(Swaps::class, $key, static fn(Swaps $store): bool => $store->swap($key, $old, $new), false);
    }

    /** @param \Closure(mixed): bool $isExpected */
    public function setIf(string $key, \Closure $isExpected, mixed $value, int|float $ttl = 0): bool
    {
        return $this->forward(SetsIf::class, $key, static fn(SetsIf $store): bool => $store->setIf($key, $isExpected, $value, $ttl), false);
    }

    public function acquire(string $key, float $seconds, LockLifetime $ends = LockLifetime::WithProcessOrByTime, string $token = ''): string|false|null
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

    /**
     * @template C of object
     * @template R
     * @param class-string<C> $capability an interface of Larder\Contract\Capability
     * @param \Closure(C): R $work what the store behind is asked to do
     * @param R $refused the answer of a store that refuses
     * @return R
     * @throws NotSupported when no store behind this one can do it
     */
    abstract private function forward(string $capability, string $key, \Closure $work, mixed $refused): mixed;
}

<?php

declare(strict_types=1);

namespace Larder\Internal\Decorator\Breaker;

use Larder\Contract\Capability;
use Larder\Contract\ExpiryAwareStore;
use Larder\Contract\ListableStore;
use Larder\Contract\PrunableStore;
use Larder\Contract\RemoteStore;
use Larder\Contract\Store;
use Larder\Decorator\TransparentDecorator;
use Larder\Exception\StoreFailed;
use Larder\Internal\Driver\None\NullStore;
use Larder\Key\Key;

/**
 * Stands in front of the store of a server and its Breaker. If the server does not answer, the result is a miss or
 * false, or StoreFailed if the DSN asks for exceptions. Answers are passed on.
 */
final class BreakerStore extends TransparentDecorator implements RemoteStore
{
    /** True if no outage is known, and the server has not failed: then there is no breaker yet. */
    private bool $isWell = false;

    /**
     * @param Breaker|\Closure(bool): ?Breaker $breaker or a closure that creates it: if the server has failed (true),
     *         or if it may have failed before
     * @param bool $throws true to throw StoreFailed instead of misses and false
     */
    public function __construct(
        private readonly RemoteStore $store,
        private Breaker|\Closure $breaker,
        private readonly bool $throws = false,
    ) {}

    public function reach(): void
    {
        $this->store->reach();
        $this->breaker()?->recordSuccess();
    }

    public function get(string $key, mixed $default = null): mixed
    {
        if (!$this->isWell && !$this->isBack()) {
            return $this->attempt(static fn(Store $store): mixed => $store->get($key, $default), $default);
        }

        // The same as attempt(), but without a closure, because every value is read here.
        try {
            /** @throws StoreFailed */
            return $this->store->get($key, $default);
        } catch (StoreFailed $failure) {
            return $this->fail($failure, $default);
        }
    }

    public function getMany(array $keys, mixed $default = null): array
    {
        return $this->attempt(
            static fn(Store $store): array => $store->getMany($keys, $default),
            array_fill_keys($keys, $default),
        );
    }

    public function has(string $key): bool
    {
        return $this->attempt(static fn(Store $store): bool => $store->has($key), false);
    }

    public function set(string $key, mixed $value, int|float $ttl = 0): bool
    {
        return $this->attempt(static fn(Store $store): bool => $store->set($key, $value, $ttl), false);
    }

    public function setMany(array $values, int|float $ttl = 0): bool
    {
        return $this->attempt(static fn(Store $store): bool => $store->setMany($values, $ttl), false);
    }

    public function delete(string $key): bool
    {
        return $this->attempt(static fn(Store $store): bool => $store->delete($key), false);
    }

    public function deleteMany(array $keys): bool
    {
        return $this->attempt(static fn(Store $store): bool => $store->deleteMany($keys), false);
    }

    public function clear(): bool
    {
        return $this->attempt(static fn(Store $store): bool => $store->clear(), false);
    }

    public function keys(): iterable
    {
        return $this->listed(Capability::of($this->store, ListableStore::class));
    }

    public function entries(array $keys): array
    {
        $store = Capability::of($this->store, ExpiryAwareStore::class);

        return $this->attempt(static function (Store $there) use ($store, $keys): array {
            array_map(Key::check(...), $keys);

            return $there instanceof NullStore ? [] : $store->entries($keys);
        }, []);
    }

    public function prune(): int
    {
        $store = Capability::of($this->store, PrunableStore::class);

        return $this->attempt(static fn(Store $there): int => $there instanceof NullStore ? 0 : $store->prune(), 0);
    }

    public function secondsToProbe(string $key): float
    {
        return $this->breaker()?->secondsToProbe() ?? 0.0;
    }

    public function decorated(): Store
    {
        return $this->store;
    }

    protected function forward(string $interface, string $key, \Closure $work, mixed $refused): mixed
    {
        $isThere = $this->store instanceof $interface && $this->supports($interface);
        $store = $isThere ? $this->store : Capability::of($this->store, $interface);
        if ($this->isWell || $this->isBack()) {
            // The same as in get().
            try {
                return $work($store);
            } catch (StoreFailed $failure) {
                return $this->fail($failure, $refused);
            }
        }

        return $this->attempt(static function (Store $there) use ($store, $key, $work, $refused): mixed {
            Key::check($key);

            return $there instanceof NullStore ? $refused : $work($store);
        }, $refused);
    }

    /**
     * @template T
     * @param \Closure(Store): T $work
     * @param T $otherwise
     * @return T
     */
    private function attempt(\Closure $work, mixed $otherwise): mixed
    {
        $breaker = $this->breaker();
        if ($breaker?->allows() === false) {
            $work(new NullStore()); // the NullStore checks keys and lifetimes

            return $this->refuse($otherwise);
        }
        $start = hrtime(true);

        try {
            $answer = $work($this->store);
            $breaker?->recordSuccess();

            return $answer;
        } catch (StoreFailed $failure) {
            return $this->fail($failure, $otherwise, (hrtime(true) - $start) / 1e9);
        } catch (\Throwable $refusal) {
            $breaker?->endedWithoutCall();

            throw $refusal;
        }
    }

    /** @return \Generator<string> */
    private function listed(ListableStore $store): \Generator
    {
        // Only when the first key is requested: a probe that has begun must also end.
        $breaker = $this->breaker();
        if ($breaker?->allows() === false) {
            return $this->refuse(null);
        }

        try {
            foreach ($store->keys() as $key) {
                $breaker?->recordSuccess();
                yield $key;
            }
            $breaker?->recordSuccess();
        } catch (StoreFailed $failure) {
            $this->fail($failure, null);
        } finally {
            $breaker?->endedWithoutCall();
        }
    }

    /**
     * @template T
     * @param T $otherwise
     * @param float $seconds duration of the call, as far as it was measured
     * @return T
     */
    private function fail(StoreFailed $failure, mixed $otherwise, float $seconds = 0.0): mixed
    {
        $this->breaker(hasFailed: true)?->fail($failure, $seconds);

        return $this->throws ? throw $failure : $otherwise;
    }

    /**
     * @template T
     * @param T $otherwise
     * @return T
     */
    private function refuse(mixed $otherwise): mixed
    {
        $refusal = $this->breaker()?->refuse();

        return $this->throws && $refusal !== null ? throw $refusal : $otherwise;
    }

    private function isBack(): bool
    {
        return $this->breaker instanceof Breaker && $this->breaker->isWell;
    }

    private function breaker(bool $hasFailed = false): ?Breaker
    {
        if ($this->breaker instanceof \Closure && ($hasFailed || !$this->isWell)) {
            $this->breaker = ($this->breaker)($hasFailed) ?? $this->breaker;
            $this->isWell = $this->breaker instanceof \Closure;
        }

        return $this->breaker instanceof Breaker ? $this->breaker : null;
    }
}

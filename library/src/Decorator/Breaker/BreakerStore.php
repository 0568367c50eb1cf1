<?php

declare(strict_types=1);

namespace Larder\Decorator\Breaker;

use Larder\Contract\AtomicStore;
use Larder\Contract\Capability;
use Larder\Contract\Decorator;
use Larder\Contract\ExpiryAwareStore;
use Larder\Contract\ListableStore;
use Larder\Contract\PrunableStore;
use Larder\Contract\RemoteStore;
use Larder\Contract\ReportsOutages;
use Larder\Contract\Store;
use Larder\Decorator\TransparentDecorator;
use Larder\Driver\None\NullStore;
use Larder\Event\Events;
use Larder\Event\Reason;
use Larder\Exception\StoreFailed;
use Larder\Key\Key;

/**
 * Stands before the store of a server and its Breaker: what the server does not answer is a miss, or false, or throws
 * StoreFailed where that was asked for; what it answers is passed on.
 */
final class BreakerStore extends TransparentDecorator implements RemoteStore, ReportsOutages
{
    /** @param bool $throws StoreFailed, in place of misses and false */
    public function __construct(private readonly RemoteStore $store, private readonly Breaker $breaker, private readonly bool $throws = false, private readonly ?Events $events = null) {}

    public function reach(): void
    {
        $this->store->reach();
        $this->breaker->worked();
    }

    public function get(string $key, mixed $default = null): mixed
    {
        if (!$this->breaker->isWell) {
            return $this->attempt(static fn(Store $store): mixed => $store->get($key, $default), $default);
        }

        // As attempt() does, without a closure: every value is read through here.
        try {
            /** @throws StoreFailed */
            return $this->store->get($key, $default);
        } catch (StoreFailed $failure) {
            return $this->fail($failure, $default);
        }
    }

    public function getMany(array $keys, mixed $default = null): array
    {
        return $this->attempt(static fn(Store $store): array => $store->getMany($keys, $default), array_fill_keys($keys, $default));
    }

    public function has(string $key): bool
    {
        return $this->attempt(static fn(Store $store): bool => $store->has($key), false);
    }

    public function set(string $key, mixed $value, int|float $ttl = 0): bool
    {
        if (!$this->breaker->isWell) {
            return $this->attempt(static fn(Store $store): bool => $store->set($key, $value, $ttl), false);
        }

        // As in get().
        try {
            /** @throws StoreFailed */
            return $this->store->set($key, $value, $ttl);
        } catch (StoreFailed $failure) {
            return $this->fail($failure, false);
        }
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

    public function increment(string $key, int $step = 1, int $first = 0, int|float $ttl = 0): int|false
    {
        if (!$this->breaker->isWell || !$this->store instanceof AtomicStore || $this->store instanceof Decorator) {
            return parent::increment($key, $step, $first, $ttl);
        }

        // As in get().
        try {
            /** @throws StoreFailed */
            return $this->store->increment($key, $step, $first, $ttl);
        } catch (StoreFailed $failure) {
            return $this->fail($failure, false);
        }
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
        return $this->breaker->secondsToProbe();
    }

    public function decorated(): Store
    {
        return $this->store;
    }

    protected function forward(string $interface, string $key, \Closure $work, mixed $refused): mixed
    {
        $store = Capability::of($this->store, $interface);
        if ($this->breaker->isWell) {
            // As in get().
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
        if (!$this->breaker->allows()) {
            $work(new NullStore()); // it checks keys and lifetimes

            return $this->refuse($otherwise);
        }
        $start = hrtime(true);

        try {
            $answer = $work($this->store);
            $this->breaker->worked();

            return $answer;
        } catch (StoreFailed $failure) {
            return $this->fail($failure, $otherwise, (hrtime(true) - $start) / 1e9);
        } catch (\Throwable $refusal) {
            $this->breaker->endedWithoutCall();

            throw $refusal;
        }
    }

    /** @return \Generator<string> */
    private function listed(ListableStore $store): \Generator
    {
        // Not before somebody asks for the first key: a probe has to end.
        if (!$this->breaker->allows()) {
            return $this->refuse(null);
        }

        try {
            foreach ($store->keys() as $key) {
                $this->breaker->worked();
                yield $key;
            }
            $this->breaker->worked();
        } catch (StoreFailed $failure) {
            $this->fail($failure, null);
        } finally {
            $this->breaker->endedWithoutCall();
        }
    }

    /**
     * @template T
     * @param T $otherwise
     * @param float $seconds that the call took, as far as they were measured
     * @return T
     */
    private function fail(StoreFailed $failure, mixed $otherwise, float $seconds = 0.0): mixed
    {
        if ($failure->isBusy || $failure->isOver) {
            $this->breaker->endedWithoutCall();
        } else {
            $this->breaker->failed($failure, $seconds);
        }
        $this->events?->tell($this->breaker->event(Reason::of($failure)));

        return $this->throws ? throw $failure : $otherwise;
    }

    /**
     * @template T
     * @param T $otherwise
     * @return T
     */
    private function refuse(mixed $otherwise): mixed
    {
        $this->events?->tell($this->breaker->event(Reason::BreakerOpen));

        return $this->throws ? throw $this->breaker->refusal() : $otherwise;
    }
}

<?php

declare(strict_types=1);

namespace Larder\Internal\Decorator\Sharding;

use Larder\Contract\Capability;
use Larder\Contract\ExpiryAwareStore;
use Larder\Contract\ListableStore;
use Larder\Contract\PrunableStore;
use Larder\Contract\RemoteStore;
use Larder\Contract\Store;
use Larder\Decorator\TransparentDecorator;
use Larder\Key\Key;

/**
 * Spreads keys over several servers, each a store of its own, by rendezvous hashing: a server that is added or removed
 * moves only its own keys. Every process must name the servers alike; their order does not matter. It can do what each
 * of its servers can.
 */
final class ShardedStore extends TransparentDecorator implements RemoteStore
{
    /** @param non-empty-array<string, Store> $stores by the server's name; all of one kind */
    public function __construct(private readonly array $stores) {}

    public function reach(): void
    {
        foreach ($this->stores as $store) {
            if ($store instanceof RemoteStore) {
                $store->reach();
            }
        }
    }

    public function get(string $key, mixed $default = null): mixed
    {
        return $this->at($key)->get($key, $default);
    }

    public function getMany(array $keys, mixed $default = null): array
    {
        $values = array_fill_keys($keys, $default);
        foreach ($this->byServer($keys) as $server => $its) {
            $values = array_replace($values, $this->stores[$server]->getMany($its, $default));
        }

        return $values;
    }

    public function entries(array $keys): array
    {
        $entries = [];
        foreach ($this->byServer($keys) as $server => $its) {
            $entries += Capability::of($this->stores[$server], ExpiryAwareStore::class)->entries($its);
        }

        return $entries;
    }

    public function has(string $key): bool
    {
        return $this->at($key)->has($key);
    }

    public function set(string $key, mixed $value, int|float $ttl = 0): bool
    {
        return $this->at($key)->set($key, $value, $ttl);
    }

    public function setMany(array $values, int|float $ttl = 0): bool
    {
        $all = true;
        foreach ($this->byServer(Key::of($values)) as $server => $its) {
            $all = $this->stores[$server]->setMany(array_intersect_key($values, array_flip($its)), $ttl) && $all;
        }

        return $all;
    }

    public function delete(string $key): bool
    {
        return $this->at($key)->delete($key);
    }

    public function deleteMany(array $keys): bool
    {
        array_map(Key::check(...), $keys);
        $all = true;
        foreach ($this->byServer($keys) as $server => $its) {
            $all = $this->stores[$server]->deleteMany($its) && $all;
        }

        return $all;
    }

    public function clear(): bool
    {
        $all = true;
        foreach ($this->stores as $store) {
            $all = $store->clear() && $all;
        }

        return $all;
    }

    public function keys(): iterable
    {
        foreach ($this->stores as $store) {
            foreach (Capability::of($store, ListableStore::class)->keys() as $key) {
                yield $key;
            }
        }
    }

    public function prune(): int
    {
        $prune = static fn(Store $store): int => Capability::of($store, PrunableStore::class)->prune();

        return array_sum(array_map($prune, $this->stores));
    }

    public function secondsToProbe(string $key): float
    {
        $store = $this->at($key);

        return $store instanceof TransparentDecorator ? $store->secondsToProbe($key) : 0.0;
    }

    public function decorated(): Store
    {
        return $this->stores[array_key_first($this->stores)];
    }

    protected function forward(string $interface, string $key, \Closure $work, mixed $refused): mixed
    {
        return $work(Capability::of($this->at($key), $interface));
    }

    private function at(string $key): Store
    {
        return $this->stores[$this->server($key)];
    }

    /**
     * @param list<string> $keys
     * @return array<string, non-empty-list<string>>
     */
    private function byServer(array $keys): array
    {
        $byServer = [];
        foreach ($keys as $key) {
            $byServer[$this->server($key)][] = $key;
        }

        return $byServer;
    }

    private function server(string $key): string
    {
        $best = '';
        $highest = '';
        foreach ($this->stores as $server => $store) {
            $weight = hash('xxh3', $server . "\0" . $key, true);
            if (strcmp($weight, $highest) > 0) {
                $highest = $weight;
                $best = $server;
            }
        }

        return $best;
    }
}

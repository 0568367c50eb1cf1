<?php

declare(strict_types=1);

namespace Larder\Store;

use Larder\Store\Capability\Adds;
use Larder\Store\Capability\Counts;
use Larder\Store\Capability\Lists;
use Larder\Store\Capability\Locks;
use Larder\Store\Capability\Replaces;
use Larder\Store\Capability\Swaps;
use Larder\Store\Capability\Touches;

/**
 * Spreads keys over several servers, each a store of its own. By rendezvous hashing: a server that is added or taken away
 * moves only the keys that are its own. Every process must name the servers alike; their order does not matter.
 *
 * It can do what each of its servers can, and throws NotSupported for the rest.
 */
final class ShardedStore implements Store, Adds, Replaces, Counts, Touches, Swaps, Locks, Lists
{
    /** @param non-empty-array<string, Store> $stores by the server's name */
    public function __construct(private readonly array $stores) {}

    public function get(string $key, mixed $default = null): mixed
    {
        return $this->stores[$this->server($key)]->get($key, $default);
    }

    public function getMany(array $keys, mixed $default = null): array
    {
        $found = [];
        $byServer = [];
        foreach ($keys as $key) {
            $byServer[$this->server($key)][] = $key;
        }
        foreach ($byServer as $server => $its) {
            $found += $this->stores[$server]->getMany($its, $default);
        }
        $values = [];
        foreach ($keys as $key) {
            $values[$key] = $found[$key];
        }

        return $values;
    }

    public function has(string $key): bool
    {
        return $this->stores[$this->server($key)]->has($key);
    }

    public function set(string $key, mixed $value, int|float $ttl = 0): bool
    {
        return $this->stores[$this->server($key)]->set($key, $value, $ttl);
    }

    public function setMany(array $values, int|float $ttl = 0): bool
    {
        $byServer = [];
        foreach (Key::of($values) as $key) {
            $byServer[$this->server($key)][$key] = $values[$key];
        }
        $all = true;
        foreach ($byServer as $server => $its) {
            $all = $this->stores[$server]->setMany($its, $ttl) && $all;
        }

        return $all;
    }

    public function delete(string $key): bool
    {
        return $this->stores[$this->server($key)]->delete($key);
    }

    public function clear(): bool
    {
        $all = true;
        foreach ($this->stores as $store) {
            $all = $store->clear() && $all;
        }

        return $all;
    }

    public function add(string $key, mixed $value, int|float $ttl = 0): bool
    {
        return Capability::of($this->stores[$this->server($key)], Adds::class)->add($key, $value, $ttl);
    }

    public function replace(string $key, mixed $value, int|float $ttl = 0): bool
    {
        return Capability::of($this->stores[$this->server($key)], Replaces::class)->replace($key, $value, $ttl);
    }

    public function increment(string $key, int $step = 1, int $first = 0, int|float $ttl = 0): int|false
    {
        return Capability::of($this->stores[$this->server($key)], Counts::class)->increment($key, $step, $first, $ttl);
    }

    public function touch(string $key, int|float $ttl): bool
    {
        return Capability::of($this->stores[$this->server($key)], Touches::class)->touch($key, $ttl);
    }

    public function swap(string $key, int $old, int $new): bool
    {
        return Capability::of($this->stores[$this->server($key)], Swaps::class)->swap($key, $old, $new);
    }

    public function acquire(string $key, float $seconds): ?string
    {
        return Capability::of($this->stores[$this->server($key)], Locks::class)->acquire($key, $seconds);
    }

    public function release(string $key, string $token): bool
    {
        return Capability::of($this->stores[$this->server($key)], Locks::class)->release($key, $token);
    }

    public function keys(): iterable
    {
        foreach ($this->stores as $store) {
            foreach (Capability::of($store, Lists::class)->keys() as $key) {
                yield $key;
            }
        }
    }

    /** One of the servers; all are of one kind. */
    public function one(): Store
    {
        return $this->stores[array_key_first($this->stores)];
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

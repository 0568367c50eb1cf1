<?php

declare(strict_types=1);

namespace Larder\Driver\Redis\Topology;

use Larder\Contract\Capability;
use Larder\Contract\ExpiryAwareStore;
use Larder\Contract\ListableStore;
use Larder\Contract\LockingStore;
use Larder\Contract\PrunableStore;
use Larder\Contract\RemoteStore;
use Larder\Contract\ReportsOutages;
use Larder\Contract\Store;
use Larder\Contract\Tokens;
use Larder\Decorator\TransparentDecorator;
use Larder\Driver\None\NullStore;
use Larder\Driver\Redis\Redirection;
use Larder\Driver\Redis\ServerRole;
use Larder\Driver\Redis\Wire\ServerGone;
use Larder\Dsn\Endpoint;
use Larder\Exception\StoreFailed;
use Larder\Exception\StoreUnavailable;
use Larder\Key\Key;
use Larder\Key\ReservedKey;
use Larder\Key\Ttl;

/**
 * A store on servers that are found by asking some of them: the masters of a cluster, each with a part of the keys, or the
 * master that sentinels name. Each has a breaker of its own.
 *
 * A server that sends a command elsewhere has not executed it, so it is repeated there. After a failure the map of the servers
 * is asked for again; a call is repeated then only if it may be executed twice and another server is in charge. What nobody
 * answers is a miss, or false, or throws StoreFailed where that was asked for.
 */
final class RoutedStore extends TransparentDecorator implements RemoteStore, ReportsOutages
{
    /** Servers to which one call is sent at most. */
    private const TRIES = 5;
    /** Seconds after which another server may be in charge. */
    private const SOON = 0.1;

    /** @var array<string, Node> by "host:port", a space and the role */
    private array $nodes = [];

    /** Which of the replicas this object reads from. */
    private readonly int $choice;

    /**
     * @param \Closure(Endpoint, ServerRole): Node $connect
     * @param ServerRole $role of the masters
     * @param string $prefix of the names in the servers
     * @param string $first "host:port" of a server of the DSN: what its store can do, all can
     * @param bool $readsReplicas whether values are read from replicas
     * @param bool $throws StoreFailed, in place of misses and false
     */
    public function __construct(
        private readonly Topology $topology,
        private readonly \Closure $connect,
        private readonly ServerRole $role,
        private readonly string $prefix,
        private readonly string $first,
        private readonly bool $readsReplicas,
        private readonly bool $throws,
    ) {
        $this->choice = random_int(0, 0xFFFF);
    }

    public function reach(): void
    {
        try {
            foreach ($this->topology->current(isAskedAnyway: true)->masters() as $master) {
                $store = $this->node($master, $this->role)->store;
                if ($store instanceof RemoteStore) {
                    $store->reach();
                }
            }
        } catch (StoreFailed|Redirection $failure) {
            $cause = $failure->getPrevious();
            $how = $cause instanceof ServerGone ? $cause->how : '';

            throw StoreUnavailable::because('redis', self::failure($failure)->what, $how !== '' ? $how : 'Are the servers of the DSN right, and is the cluster complete? redis-cli --cluster check tells, or SENTINEL MASTERS');
        }
    }

    public function get(string $key, mixed $default = null): mixed
    {
        return $this->routed($key, static fn(Store $store): mixed => $store->get($key, $default), $default, isRepeatable: true, isRead: true);
    }

    public function has(string $key): bool
    {
        return $this->routed($key, static fn(Store $store): bool => $store->has($key), false, isRepeatable: true, isRead: true);
    }

    public function set(string $key, mixed $value, int|float $ttl = 0): bool
    {
        return $this->routed($key, static fn(Store $store): bool => $store->set($key, $value, $ttl), false, isRepeatable: true);
    }

    public function delete(string $key): bool
    {
        return $this->routed($key, static fn(Store $store): bool => $store->delete($key), false, isRepeatable: true);
    }

    public function getMany(array $keys, mixed $default = null): array
    {
        $found = $this->many($keys, static fn(Store $store, array $its): array => $store->getMany($its, $default), isRead: true);
        $values = [];
        foreach ($keys as $key) {
            $values[$key] = \array_key_exists($key, $found) ? $found[$key] : $default;
        }

        return $values;
    }

    public function entries(array $keys): array
    {
        return $this->many($keys, static fn(Store $store, array $its): array => Capability::of($store, ExpiryAwareStore::class)->entries($its));
    }

    public function setMany(array $values, int|float $ttl = 0): bool
    {
        Ttl::seconds($ttl);
        $keys = Key::of($values);
        $done = $this->many($keys, static fn(Store $store, array $its): array
            => array_fill_keys($its, $store->setMany(array_intersect_key($values, array_fill_keys($its, true)), $ttl)));

        return \count(array_filter($done)) === \count($keys);
    }

    public function deleteMany(array $keys): bool
    {
        $done = $this->many($keys, static fn(Store $store, array $its): array => array_fill_keys($its, $store->deleteMany($its)));

        return \count(array_filter($done)) === \count(array_unique($keys));
    }

    public function clear(): bool
    {
        try {
            for ($try = 1; $try <= self::TRIES; ++$try) {
                $map = $this->topology->current();
                $isDone = $this->clearAll($map);
                if ($isDone !== null && $this->topology->current()->toString() === $map->toString()) {
                    return $isDone;
                } // else keys have moved from a server that was not cleared yet to one that was
            }
        } catch (StoreFailed $failure) {
            return $this->throws ? throw $failure : false;
        }

        return false;
    }

    public function keys(): iterable
    {
        $seen = []; // a slot that moves meanwhile may be listed by both

        try {
            foreach ($this->topology->current()->masters() as $master) {
                foreach (Capability::of($this->node($master, $this->role)->store, ListableStore::class)->keys() as $key) {
                    if (!isset($seen[$key])) {
                        $seen[$key] = true;
                        yield $key;
                    }
                }
            }
        } catch (StoreFailed|Redirection $failure) {
            if ($this->throws) {
                throw self::failure($failure);
            }
        }
    }

    public function prune(): int
    {
        return Capability::of($this->decorated(), PrunableStore::class)->prune();
    }

    /** Another server may be in charge soon, so never long. */
    public function secondsToProbe(string $key): float
    {
        try {
            $master = $this->topology->map()->master($this->prefix . $key);
        } catch (StoreFailed) {
            $master = null;
        }
        $store = $master === null ? null : $this->node($master, $this->role)->store;

        return $store instanceof ReportsOutages ? min(self::SOON, $store->secondsToProbe($key)) : self::SOON;
    }

    public function decorated(): Store
    {
        return $this->node($this->first, $this->role)->store;
    }

    /** A master, as a replica may have an older value than the one that is to be replaced. */
    public function getWithToken(string $key): ?array
    {
        return $this->routed($key, static fn(Store $store): ?array => Tokens::read($store, $key), null, isRepeatable: true);
    }

    protected function forward(string $interface, string $key, \Closure $work, mixed $refused): mixed
    {
        $name = $interface === LockingStore::class ? ReservedKey::lock($key) : $key; // the lock's slot, not the key's

        return $this->routed($name, static fn(Store $store): mixed => $store instanceof NullStore ? $refused : $work(Capability::of($store, $interface)), $refused, isRepeatable: false);
    }

    /**
     * @template T
     * @param \Closure(Store): T $work
     * @param T $otherwise
     * @param bool $isRepeatable whether it does no harm if a server that did not answer has executed it as well
     * @param bool $isRead whether a replica can do it
     * @return T
     */
    private function routed(string $key, \Closure $work, mixed $otherwise, bool $isRepeatable, bool $isRead = false): mixed
    {
        Key::check($key);

        try {
            return $this->ask($key, $work, $isRepeatable, $isRead);
        } catch (StoreFailed $failure) {
            $work(new NullStore()); // it checks lifetimes

            return $this->throws ? throw $failure : $otherwise;
        }
    }

    /**
     * @template T
     * @param \Closure(Store): T $work
     * @return T
     * @throws StoreFailed
     */
    private function ask(string $key, \Closure $work, bool $isRepeatable, bool $isRead): mixed
    {
        $name = $this->prefix . $key;
        $replica = $isRead ? $this->replica($key) : null;
        if ($replica !== null) {
            try {
                return $work($this->node($replica, $this->role->replica())->store);
            } catch (StoreFailed|Redirection) {
                $this->topology->refresh($replica); // the master can do it too
            }
        }
        $isOnce = false;
        $server = $this->topology->map()->master($name);
        for ($try = 1;; ++$try) {
            if ($server === null) {
                $this->topology->refresh();

                throw StoreFailed::because('redis', 'no server of the cluster has the slot of this key');
            }
            $node = $this->node($server, $this->role);

            try {
                return $isOnce ? $node->server->asking(static fn(): mixed => $work($node->store)) : $work($node->store);
            } catch (Redirection $redirection) {
                $target = $try === self::TRIES ? null : $this->topology->follow($redirection, $name, $server);
                if ($target === null || ($target === $server && $redirection->slot === null)) {
                    throw StoreFailed::because('redis', \sprintf('%s does not serve this key now (%s)', $server, $redirection->getMessage()), $redirection);
                }
                $isOnce = $redirection->isOnce;
                $server = $target;
            } catch (StoreFailed $failure) {
                $isOther = !$failure->isOver && $this->topology->refresh($server);
                $target = $isOther ? $this->topology->map()->master($name) : $server;
                if (!$isRepeatable || ($target === $server && !$failure->isOver) || $try === self::TRIES) {
                    throw $failure;
                }
                $isOnce = false;
                $server = $target;
            }
        }
    }

    /**
     * One call for each server that has some of the keys. Those that a server sends elsewhere are asked for again.
     *
     * @template T
     * @param list<string> $keys
     * @param \Closure(Store, list<string>): array<array-key, T> $work gives something for some of them, by key
     * @return array<array-key, T>
     */
    private function many(array $keys, \Closure $work, bool $isRead = false): array
    {
        array_map(Key::check(...), $keys);
        $done = [];

        try {
            for ($try = 1; $keys !== [] && $try <= self::TRIES; ++$try) {
                $again = [];
                foreach ($this->byServer($keys, $isRead && $try === 1) as [$server, $role, $its]) {
                    try {
                        $done += $work($this->node($server, $role)->store, $its);
                    } catch (Redirection $redirection) {
                        $this->topology->refresh(first: $server);
                        foreach ($its as $key) {
                            // What is on its way elsewhere one by one; the rest together again.
                            if ($redirection->slot !== HashSlot::of($this->prefix . $key) && $try < self::TRIES) {
                                $again[] = $key;
                            } else {
                                $done += $this->ask($key, static fn(Store $store): array => $work($store, [$key]), isRepeatable: true, isRead: false);
                            }
                        }
                    } catch (StoreFailed $failure) {
                        if ($failure->isOver || $this->topology->refresh($server) || $role !== $this->role) {
                            $again = [...$again, ...$its];
                        } elseif ($this->throws) {
                            throw $failure;
                        }
                    }
                }
                $keys = $again;
            }
        } catch (StoreFailed $failure) {
            return $this->throws ? throw $failure : $done;
        }

        return $done;
    }

    /**
     * @param list<string> $keys
     * @return array<string, array{string, ServerRole, non-empty-list<string>}> without those that no server has
     * @throws StoreFailed
     */
    private function byServer(array $keys, bool $isRead): array
    {
        $byServer = [];
        foreach ($keys as $key) {
            $replica = $isRead ? $this->replica($key) : null;
            $server = $replica ?? $this->topology->map()->master($this->prefix . $key);
            if ($server !== null) {
                $byServer[$server] ??= [$server, $replica === null ? $this->role : $this->role->replica(), []];
                $byServer[$server][2][] = $key;
            }
        }

        return $byServer;
    }

    /**
     * What Larder itself decides by is read from masters: locks, leases, tag versions.
     *
     * @return string|null "host:port" of the replica from which a value is read; null for the master
     * @throws StoreFailed
     */
    private function replica(string $key): ?string
    {
        if (!$this->readsReplicas || ReservedKey::is($key)) {
            return null;
        }
        $replicas = $this->topology->map()->replicas($this->prefix . $key);

        return $replicas === [] ? null : $replicas[$this->choice % \count($replicas)];
    }

    /**
     * @return bool|null null when some of the keys are on their way to another server
     * @throws StoreFailed
     */
    private function clearAll(SlotMap $map): ?bool
    {
        $isDone = true;
        $failed = null;
        foreach ($map->masters() as $master) {
            try {
                $isDone = $this->node($master, $this->role)->store->clear() && $isDone;
            } catch (Redirection) {
                return null;
            } catch (StoreFailed $failure) {
                $failed = $failure; // the others are cleared all the same
            }
        }

        return $failed === null ? $isDone : throw $failed;
    }

    private function node(string $server, ServerRole $role): Node
    {
        return $this->nodes[$server . ' ' . $role->name] ??= ($this->connect)(Endpoint::parse($server), $role);
    }

    private static function failure(StoreFailed|Redirection $failure): StoreFailed
    {
        return $failure instanceof StoreFailed ? $failure : StoreFailed::because('redis', \sprintf('no server is in charge now (%s)', $failure->getMessage()), $failure);
    }
}

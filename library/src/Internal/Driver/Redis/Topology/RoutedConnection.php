<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\Redis\Topology;

use Larder\Contract\ReadsReplicas;
use Larder\Dsn\Endpoint;
use Larder\Exception\StoreFailed;
use Larder\Exception\StoreUnavailable;
use Larder\Internal\Driver\Redis\HashSlot;
use Larder\Internal\Driver\Redis\Redirection;
use Larder\Internal\Driver\Redis\RedisConnection;
use Larder\Internal\Driver\Redis\ServerConnection;
use Larder\Internal\Driver\Redis\ServerRole;
use Larder\Internal\Driver\Redis\Wire\ServerGone;
use Larder\Internal\Key\ReservedKey;

/**
 * Connections to servers that are found by asking some of them: the masters of a cluster, each with a part of the keys,
 * or the master that sentinels name. Each connection has its own breaker.
 *
 * A server that redirects a command has not executed it, so the command is sent to the other server. After a failure,
 * the map of the servers is requested again. The call is then repeated only if it may be executed twice, and another
 * server is responsible.
 */
final class RoutedConnection implements RedisConnection, ReadsReplicas
{
    /** Largest number of servers to which one call is sent. */
    private const TRIES = 5;

    /**
     * @var array<string, array{ServerConnection, \Closure}> by "host:port", a space and the role: a connection, and its
     *         breaker
     */
    private array $nodes = [];

    /** Chooses the replicas that this object reads from. */
    private readonly int $choice;

    private bool $isFromMasters = false;

    /**
     * @param \Closure(Endpoint, ServerRole): array{ServerConnection, \Closure} $connect as for $nodes
     * @param ServerRole $role of the masters
     * @param bool $readsReplicas true if values are read from replicas
     * @param bool $throws true to throw StoreFailed if one of several servers fails, instead of returning the answers
     *         of the others
     */
    public function __construct(
        private readonly Topology $topology,
        private readonly \Closure $connect,
        private readonly ServerRole $role,
        private readonly bool $readsReplicas,
        private readonly bool $throws,
    ) {
        $this->choice = random_int(0, 0xFFFF);
    }

    public function reach(string $name): void
    {
        try {
            foreach ($this->topology->current(isAskedAnyway: true)->masters() as $master) {
                $this->call(
                    $master,
                    $this->role,
                    static fn(RedisConnection $node): null => $node->reach($name),
                    isAskedAnyway: true,
                );
            }
        } catch (StoreFailed|Redirection $failure) {
            $cause = $failure->getPrevious();
            $how = $cause instanceof ServerGone ? $cause->how : '';

            throw StoreUnavailable::because(
                'redis',
                self::failure($failure)->what,
                $how !== ''
                    ? $how
                    : 'Are the servers of the DSN right, and is the cluster complete? redis-cli --cluster check tells, '
                        . 'or SENTINEL MASTERS',
            );
        }
    }

    public function get(string $name): ?string
    {
        return $this->ask(
            $name,
            static fn(RedisConnection $node): ?string => $node->get($name),
            isRepeatable: true,
            isRead: true,
        );
    }

    public function getMany(array $names, int $most = 0): array
    {
        return $this->many(
            $names,
            static fn(RedisConnection $node, array $its): array => $node->getMany($its, $most),
            isRead: $most === 0, // a replica runs no scripts
        );
    }

    public function has(string $name): bool
    {
        return $this->ask(
            $name,
            static fn(RedisConnection $node): bool => $node->has($name),
            isRepeatable: true,
            isRead: true,
        );
    }

    public function entries(array $names): array
    {
        return $this->many($names, static fn(RedisConnection $node, array $its): array => $node->entries($its));
    }

    public function set(string $name, string $bytes, int $milliseconds): bool
    {
        return $this->ask(
            $name,
            static fn(RedisConnection $node): bool => $node->set($name, $bytes, $milliseconds),
            isRepeatable: true,
        );
    }

    public function setMany(array $values, int $milliseconds): array
    {
        $names = array_keys($values);
        $stored = $this->many(
            $names,
            static function (RedisConnection $node, array $its) use ($values, $milliseconds): array {
                $failed = $node->setMany(array_intersect_key($values, array_fill_keys($its, true)), $milliseconds);

                return array_fill_keys(array_diff($its, $failed), true);
            },
        );

        return array_values(array_diff($names, array_keys($stored)));
    }

    public function remove(array $names): bool
    {
        if (\count($names) === 1) {
            return $this->ask(
                $names[0],
                static fn(RedisConnection $node): bool => $node->remove($names),
                isRepeatable: true,
            );
        }
        $done = $this->many(
            $names,
            static fn(RedisConnection $node, array $its): array => array_fill_keys($its, $node->remove($its)),
        );

        return \count(array_filter($done)) === \count(array_unique($names));
    }

    public function clear(string $prefix): bool
    {
        for ($try = 1; $try <= self::TRIES; ++$try) {
            $map = $this->topology->current();
            $isDone = $this->clearAll($map, $prefix);
            if ($isDone !== null && $this->topology->current()->toString() === $map->toString()) {
                return $isDone;
            } // else keys have moved from a server that was not yet cleared to one that was
        }

        return false;
    }

    public function names(string $prefix): iterable
    {
        try {
            // a slot that is being moved may be listed by both
            foreach ($this->topology->current()->masters() as $master) {
                yield from $this->call(
                    $master,
                    $this->role,
                    static fn(RedisConnection $node): array => [...$node->names($prefix)],
                );
            }
        } catch (Redirection $redirection) {
            throw self::failure($redirection);
        }
    }

    public function command(string $command, string ...$arguments): mixed
    {
        return $this->ask(
            $arguments[0],
            static fn(RedisConnection $node): mixed => $node->command($command, ...$arguments),
            isRepeatable: $command === 'GET',
        );
    }

    public function script(string $script, string $name, string ...$arguments): mixed
    {
        return $this->ask(
            $name,
            static fn(RedisConnection $node): mixed => $node->script($script, $name, ...$arguments),
            isRepeatable: false,
        );
    }

    public function hasStaleReads(): bool
    {
        return $this->readsReplicas;
    }

    public function fromMasters(\Closure $calls): mixed
    {
        $before = $this->isFromMasters;
        $this->isFromMasters = true;

        try {
            return $calls();
        } finally {
            $this->isFromMasters = $before;
        }
    }

    /**
     * @template T
     * @param \Closure(RedisConnection): T $work
     * @param bool $isRepeatable true if the call may be executed twice, as a server that did not answer may have
     *         executed it
     * @param bool $isRead true if a replica can execute it
     * @return T
     * @throws StoreFailed
     */
    private function ask(string $name, \Closure $work, bool $isRepeatable, bool $isRead = false): mixed
    {
        $replica = $isRead ? $this->replica($name) : null;
        if ($replica !== null) {
            try {
                return $this->call($replica, $this->role->replica(), $work);
            } catch (StoreFailed|Redirection) {
                $this->topology->refresh($replica); // the master answers instead
            }
        }
        $isOnce = false;
        $server = $this->topology->map()->master($name);
        for ($try = 1;; ++$try) {
            if ($server === null) {
                $this->topology->refresh();

                throw StoreFailed::because('redis', 'no server of the cluster has the slot of this key');
            }

            try {
                return $this->call(
                    $server,
                    $this->role,
                    $isOnce ? static fn(ServerConnection $node): mixed
                        => $node->asking(static fn(): mixed => $work($node)) : $work,
                );
            } catch (Redirection $redirection) {
                $target = $try === self::TRIES ? null : $this->topology->follow($redirection, $name, $server);
                if ($target === null || ($target === $server && $redirection->slot === null)) {
                    throw StoreFailed::because(
                        'redis',
                        \sprintf('%s does not serve this key now (%s)', $server, $redirection->getMessage()),
                        $redirection,
                    );
                }
                $isOnce = $redirection->isOnce;
                $server = $target;
            } catch (StoreFailed $failure) {
                $isOther = !$failure->isOver && !$failure->isOfRequest && $this->topology->refresh($server);
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
     * Makes one call for each server that has some of the names. Names that a server redirects are requested again.
     *
     * @template T
     * @param list<string> $names
     * @param \Closure(RedisConnection, non-empty-list<string>): array<string, T> $work returns results for some of its
     *         names, by name
     * @return array<string, T>
     * @throws StoreFailed
     */
    private function many(array $names, \Closure $work, bool $isRead = false): array
    {
        $done = [];
        for ($try = 1; $names !== [] && $try <= self::TRIES; ++$try) {
            $again = [];
            foreach ($this->byServer($names, $isRead && $try === 1) as [$server, $role, $its]) {
                try {
                    $done += $this->call($server, $role, static fn(RedisConnection $node): array => $work($node, $its));
                } catch (Redirection $redirection) {
                    $this->topology->refresh(first: $server);
                    foreach ($its as $name) {
                        // A slot that is being moved is requested name by name, the rest together again.
                        if ($redirection->slot !== HashSlot::of($name) && $try < self::TRIES) {
                            $again[] = $name;
                        } else {
                            $done += $this->ask(
                                $name,
                                static fn(RedisConnection $node): array => $work($node, [$name]),
                                isRepeatable: true,
                            );
                        }
                    }
                } catch (StoreFailed $failure) {
                    if (
                        $failure->isOver
                        || (!$failure->isOfRequest && $this->topology->refresh($server))
                        || $role !== $this->role
                    ) {
                        $again = [...$again, ...$its];
                    } elseif ($this->throws) {
                        throw $failure;
                    }
                }
            }
            $names = $again;
        }

        return $done;
    }

    /**
     * @param list<string> $names
     * @return array<string, array{string, ServerRole, non-empty-list<string>}> without names that no server has
     * @throws StoreFailed
     */
    private function byServer(array $names, bool $isRead): array
    {
        $byServer = [];
        foreach ($names as $name) {
            $replica = $isRead ? $this->replica($name) : null;
            $server = $replica ?? $this->topology->map()->master($name);
            if ($server !== null) {
                $byServer[$server] ??= [$server, $replica === null ? $this->role : $this->role->replica(), []];
                $byServer[$server][2][] = $name;
            }
        }

        return $byServer;
    }

    /**
     * Locks, leases and tag versions are read from masters, as decisions of Larder depend on them.
     *
     * @return string|null "host:port" of the replica to read the value from; null for the master
     * @throws StoreFailed
     */
    private function replica(string $name): ?string
    {
        if (!$this->readsReplicas || $this->isFromMasters || ReservedKey::is(explode(':', $name, 3)[2] ?? '')) {
            return null;
        }
        $replicas = $this->topology->map()->replicas($name);

        return $replicas === [] ? null : $replicas[$this->choice % \count($replicas)];
    }

    /**
     * @return bool|null null if some of the keys are being moved to another server
     * @throws StoreFailed
     */
    private function clearAll(SlotMap $map, string $prefix): ?bool
    {
        $isDone = true;
        $failed = null;
        foreach ($map->masters() as $master) {
            try {
                $isDone = $this->call(
                    $master,
                    $this->role,
                    static fn(RedisConnection $node): bool => $node->clear($prefix),
                )
                    && $isDone;
            } catch (Redirection) {
                return null;
            } catch (StoreFailed $failure) {
                $failed = $failure; // the others are cleared nevertheless
            }
        }

        return $failed === null ? $isDone : throw $failed;
    }

    /**
     * @template T
     * @param \Closure(ServerConnection): T $work
     * @return T
     * @throws StoreFailed|Redirection
     */
    private function call(string $server, ServerRole $role, \Closure $work, bool $isAskedAnyway = false): mixed
    {
        [$node, $guard] = $this->nodes[$server . ' ' . $role->name] ??= ($this->connect)(
            Endpoint::parse($server),
            $role,
        );

        return $guard(static fn(): mixed => $work($node), $isAskedAnyway);
    }

    private static function failure(StoreFailed|Redirection $failure): StoreFailed
    {
        return $failure instanceof StoreFailed
            ? $failure
            : StoreFailed::because(
                'redis',
                \sprintf('no server is in charge now (%s)', $failure->getMessage()),
                $failure,
            );
    }
}

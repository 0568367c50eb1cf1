<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\Redis;

use Larder\Exception\StoreFailed;
use Larder\Exception\StoreUnavailable;

/**
 * Sends commands to one server, or to those of a topology, with any client. All methods except reach() throw
 * StoreFailed if a server does not answer, or refuses all requests of this kind.
 */
interface RedisConnection
{
    /**
     * @param string $name a name that no key has. It is deleted, because a read-only server refuses that
     * @throws StoreUnavailable
     * @throws StoreFailed if a client of the application cannot be used now
     */
    public function reach(string $name): void;

    /** Besides has() and getMany(), the only read that may come from a replica. */
    public function get(string $name): ?string;

    /**
     * @param non-empty-list<string> $names
     * @param int $most number of bytes to read of each, from the first one; 0 for all
     * @return array<string, string> those found, by name; a name without a value may have ''
     */
    public function getMany(array $names, int $most = 0): array;

    public function has(string $name): bool;

    /**
     * @param non-empty-list<string> $names
     * @return array<string, array{string, int}> bytes and milliseconds to live of those found, by name; negative for no
     *         expiry
     */
    public function entries(array $names): array;

    /**
     * @param int $milliseconds the ttl, 0 for no expiry
     * @return bool false if it is not stored, or the result is unknown: an older value may still be there
     */
    public function set(string $name, string $bytes, int $milliseconds): bool;

    /**
     * @param array<string, string> $values
     * @return list<string> names for which set() would return false
     */
    public function setMany(array $values, int $milliseconds): array;

    /** @param non-empty-list<string> $names */
    public function remove(array $names): bool;

    /** Removes all names with this prefix. */
    public function clear(string $prefix): bool;

    /** @return iterable<non-empty-list<string>> all names with this prefix in batches; a name may occur twice */
    public function names(string $prefix): iterable;

    /**
     * @param string $arguments the first is the name
     * @return mixed the reply as phpredis returns it: false for null, and if this command is refused; the status OK is
     *         true or "OK"
     */
    public function command(string $command, string ...$arguments): mixed;

    /** @return mixed as command() */
    public function script(string $script, string $name, string ...$arguments): mixed;
}

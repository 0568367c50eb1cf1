<?php

declare(strict_types=1);

namespace Larder\Cli\Inspect;

use Larder\Exception\CacheException;

/**
 * All entries of a Redis, Valkey or memcached server, or of APCu, by the names they have there. Other programs may have
 * written them, so names and values may be hostile. All methods throw CacheException if the server does not answer.
 *
 * @phpstan-type Figures array{version: string, hits: int, misses: int, stores: int|null, evicted: int, entries: int,
 *     bytes: int, limit: int}
 */
interface ServerEntries
{
    /** The kind of values that values() returns. */
    public const STRING = 'string';

    /**
     * @return iterable<array{name: string, size: int, ttl: float, used: bool|null, kind: string}> each once: bytes;
     *         seconds until it expires, 0.0 for never; whether it was read, null for not known; STRING or another kind,
     *         such as "hash"
     * @throws CacheException
     */
    public function entries(): iterable;

    /**
     * @param list<string> $names
     * @return iterable<string, array{mixed, float}> values of those that are there and can be read here, and seconds as above
     * @throws CacheException
     */
    public function values(array $names): iterable;

    /**
     * @param list<string> $names
     * @return int how many there were
     * @throws CacheException unless none of them is there any more
     */
    public function delete(array $names): int;

    /**
     * @return Figures since the server runs; null for not known; limit 0 for none
     * @throws CacheException
     */
    public function figures(): array;
}

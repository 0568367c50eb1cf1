<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\Memcached;

use Larder\Dsn\Endpoint;
use Larder\Exception\StoreFailed;

/**
 * The items of a memcached server, through one client. It connects at first use. Items with the flags of another client
 * are not ours.
 */
interface MemcachedConnection
{
    /** Used in messages: two connections with equal endpoints lead to the same items. */
    public function endpoint(): Endpoint;

    /** See NamesServer. */
    public function server(): ?string;

    /**
     * @return int maximum length of a name in bytes
     * @throws StoreFailed
     */
    public function nameLimit(): int;

    /** @throws StoreFailed unless the server answers */
    public function version(): string;

    /**
     * @return string|null the bytes after the prefix; null for a miss, or an item with another beginning
     * @throws StoreFailed
     */
    public function get(string $name, string $prefix = ''): ?string;

    /**
     * @param list<string> $names
     * @return array<string, string> only those found
     * @throws StoreFailed
     */
    public function getMany(array $names): array;

    /**
     * @param list<string> $names
     * @return array<string, array{string|null, string}> of those found: the bytes, or null for an item that is not
     *         ours; and the number by which cas() detects changes
     * @throws StoreFailed
     */
    public function gets(array $names): array;

    /**
     * @param int $expiry as memcached takes it
     * @return bool false if refused
     * @throws StoreFailed
     */
    public function set(string $name, string $bytes, int $expiry): bool;

    /**
     * @param string $number receives the number as from gets(), if the item is still there and the client can ask for
     *         it at once
     * @param string $other name of an item to read once this one was added; "" for none
     * @param string|null $there receives its bytes
     * @return bool|null false if there is an item; null if refused
     * @throws StoreFailed
     */
    public function add(
        string $name,
        string $bytes,
        int $expiry,
        string &$number = '',
        string $other = '',
        ?string &$there = null,
    ): ?bool;

    /**
     * @param string $unchanged the number from gets()
     * @return bool|null false if another client has changed or removed it; null if refused
     * @throws StoreFailed
     */
    public function cas(string $name, string $bytes, int $expiry, string $unchanged): ?bool;

    /**
     * @param array<array-key, string> $items bytes by name
     * @param int $expiry as memcached takes it
     * @return list<string> names of refused items
     * @throws StoreFailed
     */
    public function setMany(array $items, int $expiry): array;

    /**
     * @param list<string> $names
     * @throws StoreFailed unless there are no items with these names any more
     */
    public function delete(array $names): void;
}

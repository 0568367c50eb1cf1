<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\Memcached;

use Larder\Dsn\Endpoint;
use Larder\Exception\StoreFailed;

/**
 * The items of a memcached server, by one client. It connects when first used. Items with flags of another client are
 * not ours.
 */
interface MemcachedConnection
{
    /** As in messages: two connections with the same one lead to the same items. */
    public function endpoint(): Endpoint;

    /** As NamesServer says. */
    public function server(): ?string;

    /**
     * @return int bytes that a name may have
     * @throws StoreFailed
     */
    public function nameLimit(): int;

    /** @throws StoreFailed unless the server answers */
    public function version(): string;

    /**
     * @return string|null what follows the prefix; null for a miss, or an item that begins otherwise
     * @throws StoreFailed
     */
    public function get(string $name, string $prefix = ''): ?string;

    /**
     * @param list<string> $names
     * @return array<string, string> those found
     * @throws StoreFailed
     */
    public function getMany(array $names): array;

    /**
     * @param list<string> $names
     * @return array<string, array{string|null, string}> of those found, the bytes, null for those of others, and the
     *         number by which cas() knows that nobody has changed them
     * @throws StoreFailed
     */
    public function gets(array $names): array;

    /**
     * @param int $expiry as memcached takes it
     * @return bool false when refused
     * @throws StoreFailed
     */
    public function set(string $name, string $bytes, int $expiry): bool;

    /**
     * @param string $number receives that of gets(), if the item is still there and the client can ask for it at once
     * @return bool|null false when there is something; null when refused
     * @throws StoreFailed
     */
    public function add(string $name, string $bytes, int $expiry, string &$number = ''): ?bool;

    /**
     * @param string $unchanged the number of gets()
     * @return bool|null false when somebody has changed or removed it; null when refused
     * @throws StoreFailed
     */
    public function cas(string $name, string $bytes, int $expiry, string $unchanged): ?bool;

    /**
     * @param array<array-key, string> $items bytes by name
     * @param int $expiry as memcached takes it
     * @return list<string> names of those that were refused
     * @throws StoreFailed
     */
    public function setMany(array $items, int $expiry): array;

    /**
     * @param list<string> $names
     * @throws StoreFailed unless there is nothing under these names any more
     */
    public function delete(array $names): void;
}

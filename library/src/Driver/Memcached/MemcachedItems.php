<?php

declare(strict_types=1);

namespace Larder\Driver\Memcached;

use Larder\Exception\StoreFailed;

/** The items of a memcached server, whichever client speaks to it. Those with flags that another client has set are not ours. */
interface MemcachedItems
{
    /** @throws StoreFailed unless the server answers */
    public function version(): string;

    /**
     * @return string|null null for a miss
     * @throws StoreFailed
     */
    public function get(string $name): ?string;

    /**
     * @param list<string> $names
     * @return array<string, string> those found
     * @throws StoreFailed
     */
    public function getMany(array $names): array;

    /**
     * @return array{string|null, string}|null bytes, null for those of others, and the number by which cas() knows that
     *         nobody has changed them; null for a miss
     * @throws StoreFailed
     */
    public function gets(string $name): ?array;

    /**
     * @param int $expiry as memcached takes it
     * @return bool false when refused
     * @throws StoreFailed
     */
    public function set(string $name, string $bytes, int $expiry): bool;

    /**
     * @return bool|null false when there is something; null when refused
     * @throws StoreFailed
     */
    public function add(string $name, string $bytes, int $expiry): ?bool;

    /**
     * @param string $unchanged the number of gets()
     * @return bool|null false when somebody has changed or removed it; null when refused
     * @throws StoreFailed
     */
    public function cas(string $name, string $bytes, int $expiry, string $unchanged): ?bool;

    /** @throws StoreFailed unless there is nothing under that name any more */
    public function delete(string $name): void;

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
    public function deleteMany(array $names): void;
}

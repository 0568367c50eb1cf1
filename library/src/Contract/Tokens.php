<?php

declare(strict_types=1);

namespace Larder\Contract;

use Larder\Exception\NotSupported;

/**
 * Tokens of any store. Without a TokenStore, they are computed from the value. memcached too uses such tokens, because
 * its own numbers restart with the server: the number of one value could return for another.
 */
final class Tokens
{
    /** @return array{mixed, string}|null as TokenStore::getWithToken() */
    public static function read(Store|AtomicStore $store, string $key): ?array
    {
        if ($store instanceof TokenStore && (!$store instanceof Decorator || $store->supports(AtomicStore::class))) {
            return $store->getWithToken($key);
        }
        $stored = $store instanceof Store ? $store->get($key, $store) : $store;

        return $stored === $store ? null : [$stored, self::ofValue($stored)];
    }

    /**
     * As TokenStore::setIfToken().
     *
     * @throws NotSupported
     */
    public static function write(
        Store|AtomicStore $store,
        string $key,
        string $token,
        mixed $value,
        int|float $ttl,
    ): bool {
        $store = $store instanceof Store ? Capability::of($store, AtomicStore::class) : $store;

        return $store instanceof TokenStore
            ? $store->setIfToken($key, $token, $value, $ttl)
            : $store->setIf($key, static fn(mixed $there): bool => self::ofValue($there) === $token, $value, $ttl);
    }

    private static function ofValue(mixed $stored): string
    {
        return hash('sha256', serialize($stored));
    }
}

<?php

declare(strict_types=1);

namespace Larder\Contract;

use Larder\Exception\NotSupported;

/**
 * The tokens of any store. Those that are no TokenStore have none, or not for all that is to be told apart: of memcached's
 * numbers, which begin again with the server, one may come back for another value. Theirs are made of the value.
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
    public static function write(Store|AtomicStore $store, string $key, string $token, mixed $value, int|float $ttl): bool
    {
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

<?php

declare(strict_types=1);

namespace Larder;

use Larder\Exception\InvalidAddress;
use Larder\Exception\InvalidKey;
use Larder\Exception\InvalidTtl;
use Larder\Exception\StoreUnavailable;
use Larder\Store\Store;

/** One cache over every place: what a Store promises, for whichever store the address names. */
final class Cache
{
    public function __construct(private readonly Store $store) {}

    /**
     * @param string $address such as "redis://127.0.0.1:6379?namespace=shop"; "auto:" takes the engine, else APCu, else files
     * @throws InvalidAddress naming what is known
     * @throws StoreUnavailable naming what is missing and how to get it
     */
    public static function open(#[\SensitiveParameter] string $address = 'auto:'): self
    {
        $parsed = Address::parse($address);

        return new self($parsed->scheme->open($parsed));
    }

    public function store(): Store
    {
        return $this->store;
    }

    /**
     * @return mixed the value, which may be null or false; on a miss the default
     * @throws InvalidKey when empty or longer than 65,535 bytes
     */
    public function get(string $key, mixed $default = null): mixed
    {
        return $this->store->get($key, $default);
    }

    /**
     * @param array<string|int> $keys PHP makes integers of array keys such as "7": they are taken back
     * @return array<array-key, mixed> every asked key in the order asked, misses as the default
     * @throws InvalidKey
     */
    public function getMany(array $keys, mixed $default = null): array
    {
        return $this->store->getMany(array_map(strval(...), array_values($keys)), $default);
    }

    /** @throws InvalidKey */
    public function has(string $key): bool
    {
        return $this->store->has($key);
    }

    /**
     * @param int|float $ttl seconds, fractions allowed; 0 for no expiry
     * @return bool false when the store refused; the old value is gone then too
     * @throws InvalidKey
     * @throws InvalidTtl when negative or not a number
     */
    public function set(string $key, mixed $value, int|float $ttl = 0): bool
    {
        return $this->store->set($key, $value, $ttl);
    }

    /**
     * @param array<array-key, mixed> $values
     * @return bool false when any was refused
     * @throws InvalidKey
     * @throws InvalidTtl
     */
    public function setMany(array $values, int|float $ttl = 0): bool
    {
        return $this->store->setMany($values, $ttl);
    }

    /**
     * @return bool true also when there was nothing
     * @throws InvalidKey
     */
    public function delete(string $key): bool
    {
        return $this->store->delete($key);
    }

    /**
     * @param iterable<string|int> $keys
     * @throws InvalidKey
     */
    public function deleteMany(iterable $keys): bool
    {
        $all = true;
        foreach ($keys as $key) {
            $all = $this->store->delete((string) $key) && $all;
        }

        return $all;
    }

    /** Removes what this cache stored under its namespace, and nothing else. */
    public function clear(): bool
    {
        return $this->store->clear();
    }
}

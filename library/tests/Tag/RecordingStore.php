<?php

declare(strict_types=1);

namespace Larder\Tests\Tag;

use Larder\Contract\Store;
use Larder\Driver\Memory\ArrayStore;
use Larder\Internal\Key\ReservedKey;

/** A store without capabilities, which records its calls and may refuse Larder's own entries. */
final class RecordingStore implements Store
{
    /** @var list<string> a method and its keys each */
    public array $calls = [];
    public bool $refusesTagVersions = false;

    public function __construct(private readonly Store $store = new ArrayStore()) {}

    public function get(string $key, mixed $default = null): mixed
    {
        $this->calls[] = 'get ' . $key;

        return $this->store->get($key, $default);
    }

    public function getMany(array $keys, mixed $default = null): array
    {
        $this->calls[] = 'getMany ' . implode(' ', $keys);

        return $this->store->getMany($keys, $default);
    }

    public function has(string $key): bool
    {
        $this->calls[] = 'has ' . $key;

        return $this->store->has($key);
    }

    public function set(string $key, mixed $value, int|float $ttl = 0): bool
    {
        $this->calls[] = 'set ' . $key;

        return !($this->refusesTagVersions && ReservedKey::is($key)) && $this->store->set($key, $value, $ttl);
    }

    public function setMany(array $values, int|float $ttl = 0): bool
    {
        $this->calls[] = 'setMany ' . implode(' ', array_keys($values));

        return $this->store->setMany($values, $ttl);
    }

    public function delete(string $key): bool
    {
        $this->calls[] = 'delete ' . $key;

        return $this->store->delete($key);
    }

    public function deleteMany(array $keys): bool
    {
        $this->calls[] = 'deleteMany ' . implode(' ', $keys);

        return $this->store->deleteMany($keys);
    }

    public function clear(): bool
    {
        return $this->store->clear();
    }
}

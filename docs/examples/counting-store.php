<?php

declare(strict_types=1);

// A store decorator that counts misses.

use Larder\Cache;
use Larder\Contract\Store;
use Larder\Decorator\TransparentDecorator;

final class CountingStore extends TransparentDecorator
{
    public int $misses = 0;

    public function __construct(private readonly Store $store) {}

    public function get(string $key, mixed $default = null): mixed
    {
        $value = $this->store->get($key, $this);
        $this->misses += (int) ($value === $this);

        return $value === $this ? $default : $value;
    }

    public function getMany(array $keys, mixed $default = null): array
    {
        $values = $this->store->getMany($keys, $this);
        $this->misses += count(array_filter($values, fn(mixed $value): bool => $value === $this));

        return array_map(fn(mixed $value): mixed => $value === $this ? $default : $value, $values);
    }

    public function decorated(): Store
    {
        return $this->store;
    }
}

$store = new CountingStore(Cache::open('array:')->store());
$cache = new Cache($store);
$cache->get('k');
$cache->set('k', 'value');
$cache->get('k');                             // => 'value'
$store->misses;                               // => 1
$cache->lock('report', 30)?->release();      // => true

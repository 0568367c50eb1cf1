<?php

declare(strict_types=1);

// A cache decorator that times computations.

use Larder\Cache;
use Larder\CacheInterface;
use Larder\Contract\Capability;
use Larder\Contract\LockLifetime;
use Larder\Contract\Store;
use Larder\Lock\Lock;
use Larder\Remember\RememberOptions;
use Larder\Tag\TagVersions;

final class TimedCache implements CacheInterface
{
    /** @var array<string, int> nanoseconds by key */
    public array $computed = [];

    public function __construct(private readonly CacheInterface $cache) {}

    public function remember(string $key, int|float $ttl, callable $make, int|float $stale = 0, array $tags = [], int|float $wait = RememberOptions::WAIT, int|float $lease = RememberOptions::LEASE, float $beta = 1.0, float $jitter = 0.05): mixed
    {
        return $this->cache->remember($key, $ttl, function (mixed ...$arguments) use ($key, $make): mixed {
            $start = hrtime(true);
            try {
                return $make(...$arguments);
            } finally {
                $this->computed[$key] = hrtime(true) - $start;
            }
        }, $stale, $tags, $wait, $lease, $beta, $jitter);
    }

    public function store(): Store { return $this->cache->store(); }
    public function defaultTtl(): float { return $this->cache->defaultTtl(); }
    public function get(string $key, mixed $default = null): mixed { return $this->cache->get($key, $default); }
    public function getMany(array $keys, mixed $default = null): array { return $this->cache->getMany($keys, $default); }
    public function pull(string $key, mixed $default = null): mixed { return $this->cache->pull($key, $default); }
    public function rememberMany(array $keys, int|float $ttl, callable $make, array $tags = []): array { return $this->cache->rememberMany($keys, $ttl, $make, $tags); }
    public function getManyWithTags(array $keys): array { return $this->cache->getManyWithTags($keys); }
    public function has(string $key): bool { return $this->cache->has($key); }
    public function set(string $key, mixed $value, int|float $ttl = 0, array|TagVersions $tags = []): bool { return $this->cache->set($key, $value, $ttl, $tags); }
    public function setMany(array $values, int|float $ttl = 0, array|TagVersions $tags = []): bool { return $this->cache->setMany($values, $ttl, $tags); }
    public function tagVersions(iterable $tags): TagVersions { return $this->cache->tagVersions($tags); }
    public function invalidateTags(iterable $tags): bool { return $this->cache->invalidateTags($tags); }
    public function delete(string $key): bool { return $this->cache->delete($key); }
    public function deleteMany(iterable $keys): bool { return $this->cache->deleteMany($keys); }
    public function clear(): bool { return $this->cache->clear(); }
    public function reset(): void { $this->cache->reset(); }
    public function can(Capability $capability): bool { return $this->cache->can($capability); }
    public function add(string $key, mixed $value, int|float $ttl = 0, array|TagVersions $tags = []): bool { return $this->cache->add($key, $value, $ttl, $tags); }
    public function replace(string $key, mixed $value, int|float $ttl = 0): bool { return $this->cache->replace($key, $value, $ttl); }
    public function increment(string $key, int $step = 1, int $first = 0, int|float $ttl = 0): int|false { return $this->cache->increment($key, $step, $first, $ttl); }
    public function decrement(string $key, int $step = 1, int $first = 0, int|float $ttl = 0): int|false { return $this->cache->decrement($key, $step, $first, $ttl); }
    public function touch(string $key, int|float $ttl): bool { return $this->cache->touch($key, $ttl); }
    public function expiry(string $key): ?float { return $this->cache->expiry($key); }
    public function swap(string $key, int $old, int $new): bool { return $this->cache->swap($key, $old, $new); }
    public function getWithToken(string $key, mixed $default = null, ?string &$token = null): mixed { return $this->cache->getWithToken($key, $default, $token); }
    public function setIfUnchanged(string $key, string $token, mixed $value, int|float $ttl = 0, array|TagVersions $tags = []): bool { return $this->cache->setIfUnchanged($key, $token, $value, $ttl, $tags); }
    public function lock(string $key, int|float $seconds, int|float $wait = 0, LockLifetime $ends = LockLifetime::TtlOrProcess): ?Lock { return $this->cache->lock($key, $seconds, $wait, $ends); }
    public function lockHolder(string $key): ?string { return $this->cache->lockHolder($key); }
    public function keys(string $prefix = ''): iterable { return $this->cache->keys($prefix); }
    public function prune(): int { return $this->cache->prune(); }
}

$cache = new TimedCache(Cache::open('array:'));
$cache->remember('k', 60, fn(): int => 7);    // => 7
$cache->computed['k'] > 0;                    // => true

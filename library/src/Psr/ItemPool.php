<?php

declare(strict_types=1);

namespace Larder\Psr;

use Larder\CacheInterface;
use Larder\Exception\InvalidTtl;
use Larder\Key\Ttl;
use Larder\Process\SystemClock;
use Psr\Cache\CacheItemInterface;
use Psr\Cache\CacheItemPoolInterface;
use Psr\Clock\ClockInterface;

/**
 * PSR-6 over any store.
 *
 * Keys are strings of 1 to 65,535 bytes without {}()/\@: in them; others are an InvalidArgument, before anything has
 * changed. null and false are values: isHit() tells them from a miss. What a store refuses (too large, full, unreachable) is
 * false, and the old value is gone.
 *
 * Deferred items are seen by this pool at once, and by others from commit() on, or from this pool's end: a process that is
 * killed takes them along. A process that forks commits its own; its child begins with none to commit. May be used by one
 * thread at a time.
 */
class ItemPool implements CacheItemPoolInterface
{
    private readonly object $miss;
    /** @internal */
    protected Deferred $deferred;

    private readonly int|float $defaultTtl;

    /**
     * @param ClockInterface $clock by which expiresAt() and expiresAfter() count; the stores have the machine's
     * @param int|float|null $defaultTtl seconds from save() or commit() on, for items without an expiry; 0 for no expiry; null
     *        for that of the cache
     * @throws InvalidTtl if it is negative or not a number
     */
    public function __construct(protected readonly CacheInterface $cache, protected readonly ClockInterface $clock = new SystemClock(), int|float|null $defaultTtl = null)
    {
        $seconds = Ttl::seconds($defaultTtl ?? $cache->defaultTtl());
        $this->defaultTtl = $seconds > 0.0 ? $seconds : 0; // stores look no further at an integer 0
        $this->miss = new \stdClass();
        $this->deferred = new Deferred();
    }

    public function __clone()
    {
        $this->deferred = new Deferred();
    }

    public function __destruct()
    {
        $this->commitOwn();
    }

    /** To be called between two requests where one process serves many: commits what is deferred, and resets the cache. */
    public function reset(): void
    {
        $this->commitOwn();
        $this->cache->reset();
    }

    public function getItem(string $key): Item
    {
        Keys::check($key);

        return $this->item($key, $this->deferred->has($key) ? $this->deferred->get($key, $this->miss) : $this->cache->get($key, $this->miss));
    }

    /**
     * @param array<mixed> $keys strings
     * @return Pairs<Item> an item for every key, in the order asked
     */
    public function getItems(array $keys = []): Pairs
    {
        $keys = Keys::list($keys);
        $stored = $this->cache->getMany(array_filter($keys, fn(string $key): bool => !$this->deferred->has($key)), $this->miss);
        $items = [];
        foreach ($keys as $key) {
            $items[$key] = $this->item($key, $this->deferred->has($key) ? $this->deferred->get($key, $this->miss) : $stored[$key]);
        }

        return new Pairs($items);
    }

    public function hasItem(string $key): bool
    {
        Keys::check($key);

        return $this->deferred->has($key) ? $this->deferred->get($key, $this->miss) !== $this->miss : $this->cache->has($key);
    }

    /** Removes deferred items too. */
    public function clear(): bool
    {
        $this->deferred = new Deferred();

        return $this->cache->clear();
    }

    /** @return bool true also when there was nothing */
    public function deleteItem(string $key): bool
    {
        return $this->deleteItems([$key]);
    }

    /**
     * @param array<mixed> $keys strings
     * @throws InvalidArgument before anything is deleted
     */
    public function deleteItems(array $keys): bool
    {
        $keys = Keys::list($keys);
        array_map($this->deferred->remove(...), $keys);

        return $this->cache->deleteMany($keys);
    }

    /**
     * @return bool false when the store refused; an item that has expired is deleted
     * @throws InvalidArgument for another library's item, or a value that PHP cannot serialize; then the old value stays
     */
    public function save(CacheItemInterface $item): bool
    {
        $item = self::ours($item);
        $left = $item->expiry()?->left();
        if ($left !== null && $left <= 0.0) {
            return $this->deleteItem($item->getKey());
        }
        try {
            $saved = $this->cache->set($item->getKey(), $item->get(), $left ?? $this->defaultTtl, $item->tags());
        } catch (\Throwable $thrown) {
            throw InvalidArgument::forValue($item->getKey(), $thrown);
        }
        $this->deferred->remove($item->getKey());

        return $saved;
    }

    /** @throws InvalidArgument as save() */
    public function saveDeferred(CacheItemInterface $item): bool
    {
        if (!$this->deferred->isOfThisProcess()) {
            $this->deferred = new Deferred();
        }
        $this->deferred->add(self::ours($item));

        return true;
    }

    /** @return bool false when any was refused; nothing is deferred afterwards */
    public function commit(): bool
    {
        $deferred = $this->deferred;
        $this->deferred = new Deferred();
        $all = true;
        foreach ($deferred->groups() as [$left, $tags, $values]) {
            $over = $left !== null && $left <= 0.0;
            $all = ($over ? $this->cache->deleteMany(array_keys($values)) : $this->cache->setMany($values, $left ?? $this->defaultTtl, $tags)) && $all;
        }

        return $all;
    }

    /**
     * Without what a parent process has deferred.
     *
     * @internal
     */
    protected function commitOwn(): bool
    {
        return !$this->deferred->isOfThisProcess() || $this->commit();
    }

    private function item(string $key, mixed $value): Item
    {
        $hit = $value !== $this->miss;

        return new Item($key, $hit ? $value : null, $hit, $this->clock);
    }

    private static function ours(CacheItemInterface $item): Item
    {
        if (!$item instanceof Item) {
            throw new InvalidArgument(\sprintf('This pool cannot save an item of class %s: items come from its own getItem()', $item::class));
        }

        return $item;
    }
}

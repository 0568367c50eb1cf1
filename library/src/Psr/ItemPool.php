<?php

declare(strict_types=1);

namespace Larder\Psr;

use Larder\CacheInterface;
use Larder\Exception\InvalidTtl;
use Larder\Internal\ErrorLog;
use Larder\Internal\Psr\Deferred;
use Larder\Internal\Psr\Keys;
use Larder\Internal\Psr\Pairs;
use Larder\Key\Ttl;
use Psr\Cache\CacheItemInterface;
use Psr\Cache\CacheItemPoolInterface;
use Psr\Clock\ClockInterface;

/**
 * PSR-6 over any store.
 *
 * Keys are strings of 1 to 65,535 bytes without {}()/\@: in them; others are an InvalidArgument, before anything has
 * changed. null and false are values: isHit() distinguishes them from a miss. If a store refuses a value (too large,
 * full, unreachable), the result is false, and the old value is gone.
 *
 * This pool sees deferred items at once, others from commit() on, or from this pool's end: a killed process loses them.
 * A forking process commits its own; its child begins with none. One thread at a time may use a pool.
 */
class ItemPool implements CacheItemPoolInterface
{
    private const SHORT = 200;
    /** Characters of most keys, for which Keys need not be loaded. */
    private const PLAIN = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.';

    private readonly object $miss;

    /**
     * @internal
     * @var Deferred|null null while nothing is deferred
     */
    protected ?Deferred $deferred = null;

    private readonly int|float $defaultTtl;

    /**
     * @param ClockInterface|null $clock for expiresAt() and expiresAfter(); null for the machine's, which the stores
     *         have
     * @param int|float|null $defaultTtl seconds from save() or commit() on, for items without an expiry; 0 for no
     *         expiry; null for the cache's
     * @throws InvalidTtl if it is negative or not a number
     */
    public function __construct(
        protected readonly CacheInterface $cache,
        protected readonly ?ClockInterface $clock = null,
        int|float|null $defaultTtl = null,
    ) {
        $seconds = $defaultTtl ?? $cache->defaultTtl();
        $isForever = $seconds === 0 || $seconds === 0.0 || Ttl::seconds($seconds) === 0.0;
        $this->defaultTtl = $isForever ? 0 : $seconds; // for an integer 0 stores check nothing
        $this->miss = new \stdClass();
    }

    public function __clone()
    {
        $this->deferred = null;
    }

    public function __destruct()
    {
        $this->commitOwn();
    }

    /** Commits deferred items and resets the cache: for a process that serves many requests, between two of them. */
    public function reset(): void
    {
        $this->commitOwn();
        $this->cache->reset();
    }

    public function getItem(string $key): Item
    {
        $length = \strlen($key);
        if ($length === 0 || $length > self::SHORT || \strspn($key, self::PLAIN) !== $length) {
            Keys::check($key);
        }

        $value = $this->deferred?->has($key) === true
            ? $this->deferred->get($key, $this->miss)
            : $this->cache->get($key, $this->miss);

        return $this->item($key, $value);
    }

    /**
     * @param array<mixed> $keys strings
     * @return Pairs<Item> an item for every key, in the order asked
     */
    public function getItems(array $keys = []): iterable
    {
        $keys = Keys::list($keys);
        $stored = $this->cache->getMany($this->withoutDeferred($keys), $this->miss);
        $items = [];
        foreach ($keys as $key) {
            $isDeferred = $this->isDeferred($key);
            $items[$key] = $this->item($key, $isDeferred ? $this->deferred?->get($key, $this->miss) : $stored[$key]);
        }

        return new Pairs($items);
    }

    public function hasItem(string $key): bool
    {
        Keys::check($key);

        return $this->isDeferred($key)
            ? $this->deferred?->get($key, $this->miss) !== $this->miss
            : $this->cache->has($key);
    }

    /** Also removes deferred items. */
    public function clear(): bool
    {
        $this->deferred = null;

        return $this->cache->clear();
    }

    /** @return bool true also if there was nothing */
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
        if ($this->deferred !== null) {
            array_map($this->deferred->remove(...), $keys);
        }

        return $this->cache->deleteMany($keys);
    }

    /**
     * @return bool false if the store refused; an expired item is deleted
     * @throws InvalidArgument for another library's item, or a value that PHP cannot serialize; then the old value
     *         stays
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
        $this->deferred?->remove($item->getKey());

        return $saved;
    }

    /** @throws InvalidArgument as save() */
    public function saveDeferred(CacheItemInterface $item): bool
    {
        $item = self::ours($item);
        if ($this->deferred?->isOfThisProcess() !== true) {
            $this->deferred = new Deferred();
        }
        $this->deferred->add($item);

        return true;
    }

    /**
     * Never throws, as the destructor calls it: an item that cannot be stored keeps no other from that. PHP's error log
     * receives the first reason, also with on_failure=throw.
     *
     * @return bool false if any was refused; nothing is deferred afterwards
     */
    public function commit(): bool
    {
        $deferred = $this->deferred;
        $this->deferred = null;
        $all = true;
        $thrown = [];
        foreach ($deferred?->groups() ?? [] as [$left, $tags, $values]) {
            $all = $this->saveAll($values, $left, $tags, $thrown) && $all;
        }
        if ($thrown !== []) {
            (new ErrorLog())->warning('{count} of the deferred items could not be stored, such as "{key}": {reason}', [
                'count' => \count($thrown),
                'key' => array_key_first($thrown),
                'reason' => reset($thrown)->getMessage(),
            ]);
        }

        return $all;
    }

    /**
     * @param non-empty-array<array-key, mixed> $values
     * @param float|null $left seconds; null for no expiry of their own
     * @param list<string> $tags
     * @param array<array-key, \Throwable> $thrown by the key of each that could not be stored
     * @param-out array<array-key, \Throwable> $thrown
     */
    private function saveAll(array $values, ?float $left, array $tags, array &$thrown): bool
    {
        try {
            return $left !== null && $left <= 0.0
                ? $this->cache->deleteMany(array_keys($values))
                : $this->cache->setMany($values, $left ?? $this->defaultTtl, $tags);
        } catch (\Throwable $reason) {
            if (\count($values) === 1) {
                $thrown[array_key_first($values)] = $reason;

                return false;
            }
        }
        $all = true;
        foreach ($values as $key => $value) {
            $all = $this->saveAll([$key => $value], $left, $tags, $thrown) && $all;
        }

        return $all;
    }

    /**
     * Commits nothing that a parent process has deferred.
     *
     * @internal
     */
    protected function commitOwn(): bool
    {
        return $this->deferred?->isOfThisProcess() !== true || $this->commit();
    }

    /** @internal */
    protected function isDeferred(string $key): bool
    {
        return $this->deferred?->has($key) === true;
    }

    /**
     * @internal
     * @param list<string> $keys
     * @return array<string>
     */
    protected function withoutDeferred(array $keys): array
    {
        return array_filter($keys, fn(string $key): bool => !$this->isDeferred($key));
    }

    private function item(string $key, mixed $value): Item
    {
        $hit = $value !== $this->miss;

        return new Item($key, $hit ? $value : null, $hit, $this->clock);
    }

    private static function ours(CacheItemInterface $item): Item
    {
        if (!$item instanceof Item) {
            throw new InvalidArgument('This pool cannot save an item of class ' . $item::class
                . ': items come from its own getItem()');
        }

        return $item;
    }
}

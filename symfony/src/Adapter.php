<?php

declare(strict_types=1);

namespace Larder\Symfony;

use Larder\Cache;
use Larder\Contract\Capability;
use Larder\Exception\InvalidDsn;
use Larder\Exception\StoreUnavailable;
use Larder\Internal\Tag\TaggedValue;
use Larder\Remember\Computation;
use Psr\Cache\CacheItemInterface;
use Symfony\Component\Cache\Adapter\AbstractAdapter;
use Symfony\Component\Cache\Adapter\TagAwareAdapterInterface;
use Symfony\Component\Cache\CacheItem;
use Symfony\Component\Cache\Exception\InvalidArgumentException;
use Symfony\Component\Cache\Marshaller\DefaultMarshaller;
use Symfony\Component\Cache\Marshaller\MarshallerInterface;
use Symfony\Component\Cache\PruneableInterface;
use Symfony\Contracts\Cache\ItemInterface;
use Symfony\Contracts\Cache\TagAwareCacheInterface;

/**
 * A pool of symfony/cache over any store of Larder:
 *
 *     $pool = new Adapter('larder:', 'shop', 3600);
 *
 * Every pool has tags, which are versions in the same store. Of processes that miss a key of get() at once, one
 * computes. The tags that its callback sets count from its end, as in Symfony's own pools. A store that is not
 * available here, such as one whose extension is missing, is logged once: then reads are misses, and writes fail.
 */
final class Adapter extends AbstractAdapter implements
    TagAwareAdapterInterface,
    TagAwareCacheInterface,
    PruneableInterface
{
    /** Symfony's class of a value with its metadata. */
    private const WRAPPER = "\xA9";
    /** Key of what a marshaller made: beside a release whose pool has none, or another one, its bytes are no value. */
    private const MARSHALLED = "\0marshalled";

    /** @var \Closure(int|string, mixed, bool, array<mixed>): CacheItem integer keys: without assertions */
    private static \Closure $createItem;
    /** @var \Closure(CacheItem): array{float|int|null, list<string>} its expiry and its tags */
    private static \Closure $readItem;
    /** @var \Closure(CacheItem): void shows what was saved, as Symfony's pools do */
    private static \Closure $showSaved;

    private ?Cache $cache = null;
    private bool $isAway = false;
    private readonly ?MarshallerInterface $marshaller;
    private ?\Closure $callbackWrapper = null;
    /** @var array<array-key, true> keys of deferred items */
    private array $deferredKeys = [];
    /** @var array<array-key, true> ids that this process computes */
    private array $computing = [];

    /**
     * @param Provider|Cache|string|null $provider a string is a DSN; null for that of the environment variable
     *         LARDER_DSN, or "auto:" without it
     * @param string $pool the namespace: pools of different ones share no key, and are cleared separately
     * @param int $lifetime seconds, for items that have none; 0 for no expiry
     * @param MarshallerInterface|null $marshaller makes bytes of values, such as encrypted ones. Symfony's default one
     *         is not used: the stores have their own
     */
    public function __construct(
        #[\SensitiveParameter]
        private readonly Provider|Cache|string|null $provider = null,
        private readonly string $pool = '',
        private readonly int $lifetime = 0,
        ?MarshallerInterface $marshaller = null,
    ) {
        if ($pool !== '') {
            CacheItem::validateKey(strtr($pool, ':', '.'));
        }
        parent::__construct('', $lifetime);
        $this->marshaller = $marshaller instanceof DefaultMarshaller ? null : $marshaller;
        self::$createItem ??= \Closure::bind(
            static function (int|string $key, mixed $value, bool $isHit, array $metadata): CacheItem {
                $item = new CacheItem();
                $item->key = (string) $key;
                $item->value = $value;
                $item->isHit = $isHit;
                $item->isTaggable = true;
                if ($metadata !== []) {
                    $item->metadata = $metadata;
                }

                return $item;
            },
            null,
            CacheItem::class,
        );
        self::$readItem ??= \Closure::bind(
            static function (CacheItem $item): array {
                $tags = $item->newMetadata[ItemInterface::METADATA_TAGS] ?? [];

                return [$item->expiry, \is_array($tags) ? array_map(strval(...), array_keys($tags)) : []];
            },
            null,
            CacheItem::class,
        );
        self::$showSaved ??= \Closure::bind(
            static function (CacheItem $item): void {
                $item->metadata = $item->newMetadata;
            },
            null,
            CacheItem::class,
        );
    }

    /**
     * Also returns a value that cannot be stored.
     *
     * @param float|null $beta how early a value may be recomputed: 0 never, 1 as usual, INF now
     * @param array<mixed>|null $metadata
     * @param-out array<mixed>|null $metadata
     */
    public function get(string $key, callable $callback, ?float $beta = null, ?array &$metadata = null): mixed
    {
        $id = $this->getId($key);
        if (!($beta === null || $beta >= 0.0)) {
            throw new InvalidArgumentException(\sprintf('$beta must be 0 or more, not %s', $beta));
        }
        if (isset($this->computing[$id])) { // a computation that needs itself: it neither waits nor stores
            $isSaved = false;

            return $callback((self::$createItem)($key, null, false, []), $isSaved);
        }
        if (isset($this->deferredKeys[$key])) {
            $this->commit();
        }
        $made = null;
        $more = [];
        $make = function (Computation $computation) use ($key, $id, $callback, $beta, &$made): mixed {
            $made = $this->make($key, $id, $callback, $beta, $computation);

            return $this->marshalled($id, $made[0]);
        };

        try {
            $value = ($this->cache ?? $this->cache())->remember($id, 0, $make, beta: $beta ?? 1.0, jitter: 0.0);
            if ($made === null) {
                $opened = $this->readable($key, $value);
                [$value, $more] = $opened ?? [null, []];
                if ($opened === null || ($more !== [] && self::isEarly($more, $beta ?? 1.0))) {
                    $this->cache()->remember($id, 0, $make, beta: \INF, jitter: 0.0);
                }
            }
        } catch (\Exception $thrown) {
            if ($made === null) {
                throw $thrown;
            }
            $this->log('Failed to save key "{key}"', $thrown, ['key' => $key]);
            $value = null;
        }
        if ($made !== null && $made[2]) {
            $this->cache()->delete($id); // the old value may still be there
        }
        if (\func_num_args() > 3) {
            $metadata = $made === null ? $more + self::metadata($this->found([$id])[$id] ?? null) : $made[1];
        }

        return $made === null ? $value : $made[0];
    }

    public function getItem(mixed $key): CacheItem
    {
        $id = $this->getId($key);
        if (isset($this->deferredKeys[$key])) {
            $this->commit();
        }

        $cache = $this->cache ?? $this->cache();

        try {
            $found = $cache->getWithTags($id, $this);
        } catch (\Exception $thrown) {
            $this->log('Failed to fetch key "{key}"', $thrown, ['key' => $key]);
            $found = $this;
        }
        if ($found === $this) {
            return (self::$createItem)($key, null, false, []);
        }
        $isPlain = !$found instanceof TaggedValue && !$this->isWrapped($found);

        return $isPlain ? (self::$createItem)($key, $found, true, [])
            : $this->item($key, $found instanceof TaggedValue ? $found : new TaggedValue($found));
    }

    public function getItems(array $keys = []): iterable
    {
        $ids = [];
        foreach ($keys as $key) {
            $ids[] = $this->getId($key);
            if (isset($this->deferredKeys[$key])) {
                $this->commit();
            }
        }

        return $this->items($keys, $ids, $this->found($ids));
    }

    public function save(CacheItemInterface $item): bool
    {
        $isSaved = parent::save($item);
        if ($item instanceof CacheItem) {
            (self::$showSaved)($item);
        }

        return $isSaved;
    }

    public function saveDeferred(CacheItemInterface $item): bool
    {
        $this->deferredKeys[$item->getKey()] = true;

        return parent::saveDeferred($item);
    }

    public function commit(): bool
    {
        $this->deferredKeys = [];

        return parent::commit();
    }

    /**
     * Between two requests of one process: commits, drops what an array: store has, and lets a store that was away be
     * tried again.
     */
    public function reset(): void
    {
        parent::reset();
        $this->cache?->reset();
        if ($this->isAway) {
            $this->cache = null;
            $this->isAway = false;
        }
    }

    /** @param array<mixed> $tags strings, or objects with __toString() */
    public function invalidateTags(array $tags): bool
    {
        foreach ($tags as $i => $tag) {
            $tags[$i] = CacheItem::validateKey($tag instanceof \Stringable ? (string) $tag : $tag);
        }

        try {
            return ($this->cache ?? $this->cache())->invalidateTags($tags) && !$this->isAway;
        } catch (\Exception $thrown) {
            $this->log('Failed to invalidate tags', $thrown);

            return false;
        }
    }

    /** @return bool true also for a store that needs none */
    public function prune(): bool
    {
        $cache = $this->cache();
        if ($cache->can(Capability::Prune)) {
            $cache->prune();
        }

        return !$this->isAway;
    }

    /** @return callable the previous wrapper of callbacks, or one that only calls them: get() needs none */
    public function setCallbackWrapper(?callable $callbackWrapper): callable
    {
        $before = $this->callbackWrapper;
        $this->callbackWrapper = $callbackWrapper === null ? null : $callbackWrapper(...);

        return $before ?? static function (callable $callback, ItemInterface $item, bool &$save): mixed {
            return $callback($item, $save);
        };
    }

    /**
     * @param array<mixed> $ids
     * @return \Generator<array-key, mixed>
     */
    protected function doFetch(array $ids): iterable
    {
        foreach ($this->found(self::strings($ids)) as $id => $found) {
            yield $id => $this->opened($found->value)[0];
        }
    }

    protected function doHave(string $id): bool
    {
        return $this->cache()->has($id);
    }

    /**
     * @param string $namespace a prefix of keys. A store that cannot list its keys is cleared as a whole, as in
     *         Symfony's pool over Memcached
     */
    protected function doClear(string $namespace): bool
    {
        $cache = $this->cache();
        $isDone = $namespace === '' || !$cache->can(Capability::Keys)
            ? $cache->clear()
            : $cache->deleteMany($cache->keys($namespace));

        return $isDone && !$this->isAway;
    }

    /** @param array<mixed> $ids */
    protected function doDelete(array $ids): bool
    {
        return $this->cache()->deleteMany(self::strings($ids)) && !$this->isAway;
    }

    /** @param array<array-key, mixed> $values */
    protected function doSave(array $values, int $lifetime): bool
    {
        $cache = $this->cache();
        if (\count($values) === 1 && !reset($values) instanceof (self::WRAPPER)) {
            $id = (string) key($values);

            return $cache->set($id, $this->marshalled($id, current($values)), $lifetime) && !$this->isAway;
        }
        $groups = [];
        foreach ($values as $id => $value) {
            $tags = [];
            if ($value instanceof (self::WRAPPER)) {
                $metadata = $value->metadata;
                $tags = (array) ($metadata[ItemInterface::METADATA_TAGS] ?? []);
                $names = array_keys($tags);
                // A TagAwareAdapter around this pool keeps the versions of its tags here, and [] without tags.
                $isOfAnother = isset($metadata[ItemInterface::METADATA_TAGS])
                    && ($tags === [] || $tags !== array_combine($names, self::strings($names)));
                $tags = $isOfAnother ? [] : self::strings($names);
                // One that another pool computed has more, too, which that pool needs.
                $value = $isOfAnother || isset($metadata[ItemInterface::METADATA_CTIME]) ? $value : $value->value;
            }
            $name = $tags === [] ? '' : serialize($tags);
            $groups[$name] ??= [$tags, []];
            $groups[$name][1][$id] = $this->marshalled((string) $id, $value);
        }
        $isSaved = !$this->isAway;
        foreach ($groups as [$tags, $group]) {
            $isSaved = $cache->setMany($group, $lifetime, $tags) && $isSaved;
        }

        return $isSaved;
    }

    /** @return array{mixed, array<mixed>, bool} the value, its metadata, and true if it has expired by now */
    private function make(string $key, string $id, callable $callback, ?float $beta, Computation $computation): array
    {
        $item = $this->item($key, $computation->previous);
        $isSaved = true;
        $this->computing[$id] = true;
        $begin = microtime(true);

        $wrapper = $this->callbackWrapper;

        try {
            $value = $wrapper === null
                ? $callback($item, $isSaved)
                : $wrapper($callback, $item, $isSaved, $this, static fn() => null, $this->logger, $beta);
        } finally {
            unset($this->computing[$id]);
        }

        return [$value, ...$this->finish($item, $isSaved, $begin, $computation)];
    }

    /** @return array{array<mixed>, bool} */
    private function finish(CacheItem $item, bool $isSaved, float $begin, Computation $computation): array
    {
        $end = microtime(true);
        [$expiry, $tags] = (self::$readItem)($item);
        $left = $expiry === null ? (float) $this->lifetime : $expiry - $end;
        $isOver = $expiry !== null && $left <= 0.0;
        if (!$isSaved || $isOver) {
            $computation->doNotStore();

            return [$isSaved ? [] : $item->getMetadata(), $isSaved];
        }
        $computation->expireAfter($left);
        $computation->tag(...$tags);
        $seconds = $expiry === null ? 0.0 : $end - $begin;

        return [self::metadata(new TaggedValue(null, $tags, (float) $expiry, $seconds)), false];
    }

    /**
     * @param array<string> $ids
     * @return array<array-key, TaggedValue>
     */
    private function found(array $ids): array
    {
        try {
            return ($this->cache ?? $this->cache())->getManyWithTags($ids);
        } catch (InvalidDsn $thrown) {
            throw $thrown;
        } catch (\Exception $thrown) {
            $this->log('Failed to fetch items', $thrown);

            return [];
        }
    }

    /**
     * @param array<string> $keys
     * @param list<string> $ids
     * @param array<array-key, TaggedValue> $found
     * @return \Generator<string, CacheItem>
     */
    private function items(array $keys, array $ids, array $found): \Generator
    {
        foreach (array_values($keys) as $i => $key) {
            yield $key => $this->item($key, $found[$ids[$i]] ?? null);
        }
    }

    private function item(int|string $key, ?TaggedValue $found): CacheItem
    {
        if ($found === null) {
            return (self::$createItem)($key, null, false, []);
        }
        $value = $found->value;
        $metadata = $found->tags === [] && $found->freshUntil === 0.0 ? [] : self::metadata($found);
        if ($this->isWrapped($value)) {
            $opened = $this->readable($key, $value);
            if ($opened === null) {
                return (self::$createItem)($key, null, false, []);
            }
            $value = $opened[0];
            $metadata = $opened[1] + $metadata;
        }

        return (self::$createItem)($key, $value, true, $metadata);
    }

    /** @return array<string, mixed> expiry, tags and milliseconds of the computation, as far as they are known */
    private static function metadata(?TaggedValue $found): array
    {
        $metadata = [];
        if ($found !== null && $found->tags !== []) {
            $metadata[ItemInterface::METADATA_TAGS] = array_combine($found->tags, $found->tags);
        }
        if ($found !== null && $found->freshUntil !== 0.0) {
            $metadata[ItemInterface::METADATA_EXPIRY] = $found->freshUntil;
            $metadata[ItemInterface::METADATA_CTIME] = (int) ceil(1000 * $found->cost);
        }

        return $metadata;
    }

    /**
     * By Symfony's formula, for a value that save() put here with its expiry and the time of its computation.
     *
     * @param array<mixed> $metadata
     */
    private static function isEarly(array $metadata, float $beta): bool
    {
        [ItemInterface::METADATA_EXPIRY => $expiry, ItemInterface::METADATA_CTIME => $milliseconds] = $metadata
            + [ItemInterface::METADATA_EXPIRY => null, ItemInterface::METADATA_CTIME => null];
        $chance = random_int(1, \PHP_INT_MAX) / \PHP_INT_MAX;

        return is_numeric($expiry) && is_numeric($milliseconds)
            && $expiry <= microtime(true) - $milliseconds / 1000 * $beta * log($chance);
    }

    private function marshalled(string $id, mixed $value): mixed
    {
        if ($this->marshaller === null) {
            return $value;
        }
        $failed = [];
        $bytes = $this->marshaller->marshall([$id => $value], $failed);

        return [self::MARSHALLED => $bytes[$id] ?? throw new InvalidArgumentException('The marshaller refused the value')];
    }

    /** True if opened() has something to do. */
    private function isWrapped(mixed $stored): bool
    {
        return $this->marshaller !== null || $stored instanceof (self::WRAPPER)
            || (\is_array($stored) && isset($stored[self::MARSHALLED]));
    }

    /**
     * @return array{mixed, array<mixed>} the value in what a store has, and metadata from another pool
     * @throws \Exception if the marshaller did not make it, or cannot read it any more
     */
    private function opened(mixed $stored): array
    {
        $bytes = \is_array($stored) ? $stored[self::MARSHALLED] ?? null : null;
        if ($this->marshaller !== null) {
            $stored = \is_string($bytes) ? $this->marshaller->unmarshall($bytes)
                : throw new InvalidArgumentException('It was stored without the marshaller');
        } elseif ($bytes !== null) {
            throw new InvalidArgumentException('It was stored by a marshaller');
        }

        return $stored instanceof (self::WRAPPER) ? [$stored->value, $stored->metadata] : [$stored, []];
    }

    /** @return array{mixed, array<mixed>}|null as opened(); null for a miss, which is logged */
    private function readable(int|string $key, mixed $stored): ?array
    {
        try {
            return $this->opened($stored);
        } catch (\Exception $thrown) {
            $this->log('Failed to fetch key "{key}"', $thrown, ['key' => $key]);

            return null;
        }
    }

    /**
     * @param array<mixed> $list of strings; PHP makes integers of array keys such as "7"
     * @return list<string>
     */
    private static function strings(array $list): array
    {
        $strings = [];
        foreach ($list as $one) {
            $strings[] = \is_string($one) || \is_int($one) ? (string) $one : '';
        }

        return $strings;
    }

    private function cache(): Cache
    {
        if ($this->cache !== null) {
            return $this->cache;
        }

        try {
            $this->cache = Provider::open($this->provider, $this->pool, $this->logger)->withinRequest();
            $this->cache->store();
        } catch (StoreUnavailable $thrown) {
            $this->isAway = true;
            $this->log('The pool keeps nothing', $thrown);
            $this->cache = Cache::open('none:');
        }

        return $this->cache;
    }

    /** @param array<string, mixed> $context */
    private function log(string $message, \Exception $thrown, array $context = []): void
    {
        $context += ['exception' => $thrown, 'cache-adapter' => self::class];
        CacheItem::log($this->logger, "$message: " . $thrown->getMessage(), $context);
    }
}

<?php

declare(strict_types=1);

namespace Larder;

use Larder\Codec\Failure;
use Larder\Contract\AtomicStore;
use Larder\Contract\Capability;
use Larder\Contract\Decorator;
use Larder\Contract\ExpiryAwareStore;
use Larder\Contract\HasWaitBudget;
use Larder\Contract\ListableStore;
use Larder\Contract\LockingStore;
use Larder\Contract\LockLifetime;
use Larder\Contract\PrunableStore;
use Larder\Contract\RemoteStore;
use Larder\Contract\ResettableStore;
use Larder\Contract\Store;
use Larder\Contract\Tokens;
use Larder\Decorator\Tier\TierStore;
use Larder\Driver\Engine\EngineStore;
use Larder\Dsn\Endpoint;
use Larder\Event\ComputationFailed;
use Larder\Event\Computed;
use Larder\Event\Events;
use Larder\Event\Hit;
use Larder\Event\Miss;
use Larder\Event\Observer;
use Larder\Exception\InvalidDsn;
use Larder\Exception\NotSupported;
use Larder\Exception\StoreUnavailable;
use Larder\Key\Key;
use Larder\Key\ReservedKey;
use Larder\Key\Ttl;
use Larder\Lock\Lock;
use Larder\Remember\Remember;
use Larder\Remember\RememberOptions;
use Larder\Remember\StoredValue;
use Larder\Tag\Tags;
use Larder\Tag\TagVersions;
use Psr\Log\LoggerInterface;

/** The cache over the store of a DSN, or over any store. */
final class Cache implements CacheInterface
{
    private const REMOVAL_SECONDS = 10;
    private const REMOVAL_WAIT = 2;
    /** How long what pull() leaves in the place of a value stays if nobody writes there: stores have no deletion that compares. */
    private const PULLED_SECONDS = 1;
    /** In a token: the versions of tags have to be asked for. */
    private const TAGGED = 'tagged';
    /** Not many, as their values are read too. */
    private const KEYS_AT_ONCE = 16;

    /** Whether a fetch is the engine's own, without a key put before, and nobody observes: then get() calls it without a detour. */
    private readonly bool $isEngine;
    /** What makes a tier's local copies in the engine valid, likewise: see LocalCopies. */
    private readonly ?string $guard;
    private readonly Tags $tags;
    private readonly ?HasWaitBudget $waitBudget;
    private readonly ?Events $events;
    private ?Remember $remember = null;

    /** @param Observer|null $observer of a store that you opened yourself; the others get it by open() and over() */
    public function __construct(private readonly Store $store, private readonly ?Resolver $search = null, ?Observer $observer = null)
    {
        $this->events = $search === null && $observer !== null ? new Events($observer, new ErrorLog()) : $search?->events;
        $this->isEngine = $store instanceof EngineStore && $this->events === null;
        $this->guard = $store instanceof TierStore && $this->events === null ? $store->copies->guard : null;
        $this->tags = new Tags($store);
        while ($store instanceof Decorator) {
            $store = $store->decorated();
        }
        $this->waitBudget = $store instanceof HasWaitBudget ? $store : null;
    }

    /**
     * Opens the store of a DSN. It connects to a server on first use. If that is unreachable, calls are misses (with
     * on_failure=throw they throw), and each outage is logged once.
     *
     * @param string $dsn such as "redis://127.0.0.1:6379?namespace=shop"; "auto:" takes the engine, else APCu, else files
     * @param LoggerInterface $logger receives the begin and the end of outages; by default PHP's error log
     * @param \Closure(Endpoint): (string|array{string, string})|null $credentials for a login that rotates: called at each
     *        connecting to a Redis or memcached server, it gives the password, or user and password. Is an exception thrown,
     *        that is an outage
     * @param Observer|null $observer is told of hits, misses, computations and failures, also of sub-namespaces
     * @throws InvalidDsn with the part that is wrong
     * @throws StoreUnavailable if an extension or a directory is missing; the message says how to get it
     */
    public static function open(#[\SensitiveParameter] string $dsn = 'auto:', LoggerInterface $logger = new ErrorLog(), ?\Closure $credentials = null, ?Observer $observer = null): self
    {
        $search = Resolver::at(Drivers::parse($dsn), $logger, $credentials, observer: $observer);

        return new self($search->store(), $search);
    }

    /**
     * Opens a cache over a client that the application has: a Redis, RedisCluster, Predis, Memcached or PDO object. It opens no
     * connection of its own, neither changes the client's settings nor depends on them, and never closes it. While the
     * application has a transaction or a pipeline open on the client, calls are misses, or false. A process that was forked
     * needs another client.
     *
     * @param object $client or a closure that returns it, called on first use, in each process, and again after a lost
     *        connection: its return type says which client it is, as in fn(): \Redis => …
     * @param string $options those of a DSN, such as "namespace=shop&serializer=igbinary"
     * @param LoggerInterface $logger receives the first failure of each outage, at once; by default PHP's error log
     * @param string $local the DSN of a local tier, such as "larder:": copies in the memory of this host, as those of tier:,
     *        whose options local_ttl and poll stand among $options. Copies of two servers never mix
     * @param Observer|null $observer as for open()
     * @throws InvalidDsn for options that are unknown, or belong to the client, such as a timeout
     * @throws NotSupported for an object of another class; for a client whose settings the store cannot work with
     * @throws StoreUnavailable as open() does
     */
    public static function over(
        object $client,
        #[\SensitiveParameter]
        string $options = '',
        LoggerInterface $logger = new ErrorLog(),
        #[\SensitiveParameter]
        string $local = '',
        ?Observer $observer = null,
    ): self {
        $held = Drivers::hold($client, $local !== '');
        $tier = $local === '' ? null : Drivers::parse($local)->asTier('of the whole cache: write it among the options');
        $search = Resolver::at($held->dsn($options), $logger, client: $held, local: $tier, observer: $observer);

        return new self($search->store(), $search);
    }

    /**
     * A cache in the namespace "<this cache's>-<name>" of the same store, with the same options. They see nothing of each
     * other, also when one of them is cleared. They have its connections, and its SQLite file open once.
     *
     * @param string $name 1 to 32 of A-Z a-z 0-9 _ -; the whole namespace has no more than 32 either
     * @throws InvalidDsn for another name
     * @throws NotSupported for a store that was passed to the constructor
     */
    public function withSubNamespace(string $name): self
    {
        $search = $this->search?->inSubNamespace($name) ?? throw new NotSupported('Only a cache of Cache::open() or Cache::over() has sub-namespaces: open another store with a namespace of its own');

        return new self($search->store(), $search);
    }

    /**
     * Connects to the server of this cache now, if it has one, for a check at the start of a program.
     *
     * @throws StoreUnavailable with what is wrong and what to do
     */
    public function reach(): void
    {
        $store = $this->store;
        while (!$store instanceof RemoteStore && $store instanceof Decorator) {
            $store = $store->decorated();
        }
        if ($store instanceof RemoteStore) {
            $store->reach();
        }
    }

    /**
     * Why this store was chosen: what open() tried, in this order, and how to get what was not available.
     *
     * @return list<CandidateStore> empty for a store that was passed to the constructor
     */
    public function explain(): array
    {
        return $this->search?->candidates() ?? [];
    }

    /**
     * How many values could not be read since this cache was opened, by reason (see Larder\Codec\Failure). Each was a miss.
     * "forged" and "unsigned" mean that somebody else writes to the store. "not stored" counts set() and setMany() that
     * returned false. The engine counts for all processes: larder_info()['unreadable'] and ['refusals'].
     *
     * @return array<string, int> empty for a store that was passed to the constructor: ask its codec
     */
    public function failures(): array
    {
        return $this->search?->failures->counts() ?? [];
    }

    public function store(): Store
    {
        return $this->store;
    }

    public function defaultTtl(): float
    {
        return $this->search?->defaultTtl() ?? 0.0;
    }

    public function get(string $key, mixed $default = null): mixed
    {
        if ($this->isEngine) {
            try {
                $stored = \larder_fetch($key, $default);
            } catch (\ValueError) {
                return $this->store->get($key, $default); // which says what is wrong
            }
        } elseif ($this->guard !== null) {
            try {
                $stored = \larder_fetch_if($key, $this->guard);
            } catch (\ValueError) {
                $stored = null;
            }
            $stored ??= $this->store->get($key, $default); // which knows null from a miss, and says what is wrong
        } elseif ($this->events === null) {
            $stored = $this->store->get($key, $default);
        } else {
            return $this->observed($this->events, $key, $this->stored($key), $default);
        }

        return \is_array($stored) && isset($stored[StoredValue::MARK]) ? $this->unwrap($stored, $default) : $stored;
    }

    public function getMany(array $keys, mixed $default = null): array
    {
        if ($this->events === null) {
            return $this->readMany($keys, $default);
        }
        $values = $this->readMany($keys, $this);
        foreach ($values as $key => $value) {
            $values[$key] = $this->observed($this->events, (string) $key, $value, $default);
        }

        return $values;
    }

    public function getManyWithTags(array $keys): array
    {
        $values = $tagVersions = [];
        foreach ($this->withinOneWaitBudget(fn(): array => $this->store->getMany(array_map(strval(...), array_values($keys)), $this)) as $key => $stored) {
            $value = StoredValue::is($stored) ? StoredValue::of($stored) : new StoredValue($stored);
            if ($stored !== $this && $value?->isFresh(microtime(true)) === true) {
                $values[$key] = $value->tagged();
                $tagVersions[$key] = $value->tagVersions;
            }
        }

        $current = array_intersect_key($values, $this->tags->current($tagVersions));
        if ($this->events !== null) {
            foreach ($keys as $key) {
                $this->events->tell(isset($current[$key]) ? new Hit((string) $key) : new Miss((string) $key));
            }
        }

        return $current;
    }

    public function pull(string $key, mixed $default = null): mixed
    {
        $pulled = null;
        $isPulled = Capability::of($this->store, AtomicStore::class)->setIf($key, static function (mixed $there) use (&$pulled): bool {
            $pulled = $there;

            return !StoredValue::is($there) || StoredValue::of($there)?->isNothing() === false;
        }, StoredValue::pulled()->stored(), self::PULLED_SECONDS);
        $value = match (true) {
            !$isPulled => $this,
            StoredValue::is($pulled) => $this->unwrap($pulled, $this),
            default => $pulled,
        };
        $this->events?->tell($value === $this ? new Miss($key) : new Hit($key));

        return $value === $this ? $default : $value;
    }

    public function has(string $key): bool
    {
        return $this->get($key, $this) !== $this;
    }

    public function set(string $key, mixed $value, int|float $ttl = 0, array|TagVersions $tags = []): bool
    {
        if ($tags !== []) {
            return $this->setMany([$key => $value], $ttl, $tags);
        }

        return $this->store->set($key, \is_array($value) && isset($value[StoredValue::MARK]) ? StoredValue::plain($value) : $value, $ttl) || $this->notStored();
    }

    public function setMany(array $values, int|float $ttl = 0, array|TagVersions $tags = []): bool
    {
        if ($tags === []) {
            return $this->withinOneWaitBudget(fn(): bool => $this->store->setMany(array_map(StoredValue::plain(...), $values), $ttl)) || $this->notStored();
        }
        $tagVersions = ($tags instanceof TagVersions ? $tags : $this->tagVersions($tags))->byTag;
        if ($tagVersions === null) {
            $this->deleteMany(array_keys($values));

            return $this->notStored();
        }

        $wrapped = array_map(static fn(mixed $value): array => (new StoredValue($value, tagVersions: $tagVersions))->stored(), $values);

        return $this->withinOneWaitBudget(fn(): bool => $this->store->setMany($wrapped, $ttl)) || $this->notStored();
    }

    public function remember(
        string $key,
        int|float $ttl,
        callable $make,
        int|float $stale = 0,
        array $tags = [],
        int|float $wait = RememberOptions::WAIT,
        int|float $lease = RememberOptions::LEASE,
        float $beta = 1.0,
        float $jitter = 0.05,
    ): mixed {
        $this->remember ??= new Remember($this->store, $this->tags, events: $this->events);

        return $this->remember->value(new RememberOptions($key, $ttl, $make, $stale, $tags, $wait, $lease, $beta, $jitter));
    }

    public function rememberMany(array $keys, int|float $ttl, callable $make, array $tags = []): array
    {
        Ttl::seconds($ttl);
        $values = $this->getMany($keys, $this);
        $missing = array_map(strval(...), array_keys($values, $this, true));
        if ($missing === []) {
            return $values;
        }
        $tagVersions = $tags === [] ? [] : $this->tagVersions($tags);
        $start = hrtime(true);

        try {
            $made = array_intersect_key($make($missing), array_flip($missing));
        } catch (\Throwable $error) {
            foreach ($missing as $key) {
                $this->events?->tell(new ComputationFailed($key, self::secondsSince($start) / \count($missing), $error::class));
            }

            throw $error;
        }
        $seconds = self::secondsSince($start);
        $areStored = false;

        try {
            $areStored = $made !== [] && $this->setMany($made, $ttl, $tagVersions);
        } finally {
            foreach ($missing as $key) {
                if (\array_key_exists($key, $made)) {
                    $this->events?->tell(new Computed($key, $seconds / \count($made), $areStored));
                }
            }
        }

        return array_filter(array_replace($values, $made), fn(mixed $value): bool => $value !== $this);
    }

    public function tagVersions(iterable $tags): TagVersions
    {
        return new TagVersions($this->tags->capture($tags));
    }

    public function invalidateTags(iterable $tags): bool
    {
        return $this->tags->invalidate($tags);
    }

    public function delete(string $key): bool
    {
        return $this->store->delete($key);
    }

    public function deleteMany(iterable $keys): bool
    {
        $list = [];
        foreach ($keys as $key) {
            $list[] = (string) $key;
        }

        return $this->withinOneWaitBudget(fn(): bool => $this->store->deleteMany($list));
    }

    public function clear(): bool
    {
        return $this->withinOneWaitBudget($this->store->clear(...));
    }

    public function reset(): void
    {
        if ($this->store instanceof ResettableStore) {
            $this->store->reset();
        }
    }

    public function can(Capability $capability): bool
    {
        return $capability->isOf($this->store);
    }

    public function add(string $key, mixed $value, int|float $ttl = 0): bool
    {
        $store = Capability::of($this->store, AtomicStore::class);
        $stored = StoredValue::plain($value);

        return $store->add($key, $stored, $ttl) || $this->removesOutdated($key) && $store->add($key, $stored, $ttl);
    }

    public function replace(string $key, mixed $value, int|float $ttl = 0): bool
    {
        $store = Capability::of($this->store, AtomicStore::class);

        return !$this->isOutdated($key) && $store->replace($key, StoredValue::plain($value), $ttl);
    }

    public function increment(string $key, int $step = 1, int $first = 0, int|float $ttl = 0): int|false
    {
        $store = Capability::of($this->store, AtomicStore::class);
        $sum = $store->increment($key, $step, $first, $ttl);

        return $sum === false && $this->removesOutdated($key) ? $store->increment($key, $step, $first, $ttl) : $sum;
    }

    public function decrement(string $key, int $step = 1, int $first = 0, int|float $ttl = 0): int|false
    {
        return $step === \PHP_INT_MIN ? false : $this->increment($key, -$step, $first, $ttl);
    }

    public function touch(string $key, int|float $ttl): bool
    {
        $store = Capability::of($this->store, AtomicStore::class);
        $until = Ttl::until($ttl);
        $stored = $this->store->get($key);
        $valid = StoredValue::is($stored) ? $this->valid($stored) : new StoredValue($stored);
        if ($valid === null || ($valid->freshUntil !== 0.0 && ($until === 0.0 || $until > $valid->freshUntil))) {
            return false;
        }

        return $store->touch($key, $ttl);
    }

    public function expiry(string $key): ?float
    {
        $entry = Capability::of($this->store, ExpiryAwareStore::class)->entries([$key])[$key] ?? null;

        if ($entry === null) {
            return null;
        }
        $valid = StoredValue::is($entry->stored) ? $this->valid($entry->stored) : new StoredValue($entry->stored);
        if ($valid === null) {
            return null;
        }
        $ends = array_diff([$entry->until ?? 0.0, $valid->freshUntil], [0.0]);

        return $ends === [] ? 0.0 : min($ends);
    }

    public function swap(string $key, int $old, int $new): bool
    {
        return Capability::of($this->store, AtomicStore::class)->swap($key, $old, $new);
    }

    public function getWithToken(string $key, mixed $default = null, ?string &$token = null): mixed
    {
        $found = Tokens::read($this->store, $key);
        $valid = match (true) {
            $found === null => null,
            StoredValue::is($found[0]) => $this->valid($found[0]),
            default => new StoredValue($found[0]),
        };
        $token = $found === null || $valid === null ? null : $found[1] . self::condition($valid);
        $this->events?->tell($valid === null ? new Miss($key) : new Hit($key));

        return $valid === null ? $default : $valid->value;
    }

    public function setIfUnchanged(string $key, string $token, mixed $value, int|float $ttl = 0, array|TagVersions $tags = []): bool
    {
        $store = Capability::of($this->store, AtomicStore::class);
        $tagVersions = $tags === [] ? [] : ($tags instanceof TagVersions ? $tags : $this->tagVersions($tags))->byTag;
        [$ofStore, $condition] = [...explode('@', $token, 2), ''];
        if ($tagVersions === null || ($condition === self::TAGGED ? $this->isOutdated($key) : $condition !== '' && (float) $condition <= microtime(true))) {
            return false;
        }
        $stored = $tagVersions === [] ? StoredValue::plain($value) : (new StoredValue($value, tagVersions: $tagVersions))->stored();

        return Tokens::write($store, $key, $ofStore, $stored, $ttl);
    }

    public function lock(string $key, int|float $seconds, int|float $wait = 0, LockLifetime $ends = LockLifetime::TtlOrProcess): ?Lock
    {
        return Lock::take(Capability::of($this->store, LockingStore::class), $key, $seconds, $wait, $ends);
    }

    public function lockHolder(string $key): ?string
    {
        return Capability::of($this->store, LockingStore::class)->holder($key);
    }

    public function keys(string $prefix = ''): iterable
    {
        $store = Capability::of($this->store, ListableStore::class);

        return (function () use ($store, $prefix): \Generator {
            $keys = [];
            foreach ($store->keys() as $key) {
                if (str_starts_with($key, $prefix) && Key::isValid($key) && !ReservedKey::is($key)) {
                    $keys[] = $key;
                }
                if (\count($keys) === self::KEYS_AT_ONCE) {
                    foreach ($this->thatHoldSomething($keys) as $listed) {
                        yield $listed;
                    }
                    $keys = [];
                }
            }
            foreach ($this->thatHoldSomething($keys) as $listed) {
                yield $listed;
            }
        })();
    }

    public function prune(): int
    {
        return Capability::of($this->store, PrunableStore::class)->prune();
    }

    /**
     * @param array<string|int> $keys
     * @return array<array-key, mixed>
     */
    private function readMany(array $keys, mixed $default): array
    {
        $values = $this->withinOneWaitBudget(fn(): array => $this->store->getMany(array_map(strval(...), array_values($keys)), $default));
        $tagVersions = [];
        foreach ($values as $key => $stored) {
            if (\is_array($stored) && isset($stored[StoredValue::MARK])) {
                $wrapped = $stored === $default ? null : StoredValue::of($stored);
                $isFresh = $wrapped !== null && $wrapped->isFresh(microtime(true));
                $values[$key] = $isFresh ? $wrapped->value : $default;
                if ($isFresh && $wrapped->tagVersions !== []) {
                    $tagVersions[$key] = $wrapped->tagVersions;
                }
            }
        }
        foreach ($tagVersions === [] ? [] : array_diff_key($tagVersions, $this->tags->current($tagVersions)) as $key => $ofOldTags) {
            $values[$key] = $default;
        }

        return $values;
    }

    /** @return mixed this object on a miss */
    private function stored(string $key): mixed
    {
        $stored = $this->store->get($key, $this);

        return \is_array($stored) && isset($stored[StoredValue::MARK]) ? $this->unwrap($stored, $this) : $stored;
    }

    /** @param mixed $value this object for a miss */
    private function observed(Events $events, string $key, mixed $value, mixed $default): mixed
    {
        $events->tell($value === $this ? new Miss($key) : new Hit($key));

        return $value === $this ? $default : $value;
    }

    /** What a token ends with: how it is known, without reading the value again, whether that is still one for get(). */
    private static function condition(StoredValue $value): string
    {
        return match (true) {
            $value->tagVersions !== [] => '@' . self::TAGGED,
            $value->freshUntil !== 0.0 => \sprintf('@%.6F', $value->freshUntil),
            default => '',
        };
    }

    /** @param int|float $start as hrtime(true) has told */
    private static function secondsSince(int|float $start): float
    {
        return (hrtime(true) - $start) / 1e9;
    }

    /** @return bool false: what set() answers */
    private function notStored(): bool
    {
        $this->search?->failures->add(Failure::NotStored);

        return false;
    }

    /**
     * @param list<string> $keys
     * @return list<string> those under which no value is just being computed for the first time, and none was pulled
     */
    private function thatHoldSomething(array $keys): array
    {
        $stored = $keys === [] ? [] : $this->store->getMany($keys);

        return array_values(array_filter($keys, static fn(string $key): bool => !StoredValue::is($stored[$key]) || StoredValue::of($stored[$key])?->isNothing() !== true));
    }

    /**
     * @template T
     * @param \Closure(): T $calls
     * @return T
     */
    private function withinOneWaitBudget(\Closure $calls): mixed
    {
        return $this->waitBudget === null ? $calls() : $this->waitBudget->withinOneWaitBudget($calls);
    }

    /** @param array<array-key, mixed> $stored of the form of StoredValue, or damaged: then a miss */
    private function unwrap(array $stored, mixed $default): mixed
    {
        $valid = $stored === $default ? null : $this->valid($stored);

        return $valid === null ? $default : $valid->value;
    }

    /**
     * @param array<array-key, mixed> $stored of the form of StoredValue
     * @return StoredValue|null null when it is out of date, or damaged
     */
    private function valid(array $stored): ?StoredValue
    {
        $wrapped = StoredValue::of($stored);

        return $wrapped !== null && $wrapped->isFresh(microtime(true))
            && ($wrapped->tagVersions === [] || $this->tags->areCurrent($wrapped->tagVersions)) ? $wrapped : null;
    }

    /**
     * Whether there is a value that get() treats as a miss.
     *
     * @phpstan-impure
     */
    private function isOutdated(string $key): bool
    {
        $stored = $this->store->get($key);

        return StoredValue::is($stored) && $this->valid($stored) === null;
    }

    /**
     * Removes an outdated value that blocks an atomic operation of the store. One process at a time does so, because two
     * could remove what was stored in between.
     *
     * @return bool whether the operation may succeed now
     */
    private function removesOutdated(string $key): bool
    {
        $lock = $this->isOutdated($key) ? $this->lock(ReservedKey::removal($key), self::REMOVAL_SECONDS, self::REMOVAL_WAIT) : null;
        if ($lock === null) {
            return false;
        }

        try {
            return !$this->isOutdated($key) || $this->store->delete($key);
        } finally {
            $lock->release();
        }
    }
}

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
use Larder\Dsn\Endpoint;
use Larder\Event\ComputationFailed;
use Larder\Event\Computed;
use Larder\Event\Hit;
use Larder\Event\Miss;
use Larder\Event\Observer;
use Larder\Exception\InvalidDsn;
use Larder\Exception\InvalidKey;
use Larder\Exception\NotSupported;
use Larder\Exception\StoreUnavailable;
use Larder\Internal\Decorator\MasterReads;
use Larder\Internal\Decorator\Tier\TierStore;
use Larder\Internal\Driver\Apcu\Apcu;
use Larder\Internal\Driver\Engine\Engine;
use Larder\Internal\Driver\Engine\EngineRemember;
use Larder\Internal\Driver\Engine\EngineStore;
use Larder\Internal\Driver\Redis\RedisStore;
use Larder\Internal\Dsn\DefaultDsn;
use Larder\Internal\ErrorLog;
use Larder\Internal\Event\Events;
use Larder\Internal\Key\ReservedKey;
use Larder\Internal\Process\Functions;
use Larder\Internal\Remember\Remember;
use Larder\Internal\Remember\StoredValue;
use Larder\Internal\Resolver;
use Larder\Internal\Tag\TaggedValue;
use Larder\Internal\Tag\Tags;
use Larder\Key\Key;
use Larder\Key\Ttl;
use Larder\Lock\Lock;
use Larder\Remember\RememberOptions;
use Larder\Tag\TagVersions;
use Psr\Log\LoggerInterface;

/** The cache over the store of a DSN, or over any store. */
final class Cache implements CacheInterface
{
    private const REMOVAL_SECONDS = 10;
    private const REMOVAL_WAIT = 2;
    /** Lifetime of the mark that pull() leaves in the place of a value: stores have no deletion that compares. */
    private const PULLED_SECONDS = 1;
    /** End of the token of a value with tags, whose versions must be read to validate it. */
    private const TAGGED = 'tagged';
    /** Few, as their values are read too. */
    private const KEYS_AT_ONCE = 16;

    /** True if keys are the engine's own and nobody observes: then get() calls the engine directly. */
    private bool $isEngine;
    /** Name of the version of a namespace in the engine, if get() may call the engine directly. */
    private ?string $namespace = null;
    /** Prefix of names in APCu, likewise. */
    private ?string $apcu = null;
    /** Guard of a tier's copies in the engine, likewise: see LocalCopies. */
    private readonly ?string $guard;
    private ?Store $masters = null;
    private ?Tags $tags = null;
    private HasWaitBudget|false|null $waitBudget = null;
    private readonly ?Events $events;
    /** @var Remember<Store>|null */
    private ?Remember $remember = null;
    private bool $isWithinRequest = false;
    /** Null until something needs more than the engine's own functions. */
    private ?Store $store = null;
    /** @var Resolver|(\Closure(): Resolver)|null null for a store that was passed to the constructor */
    private Resolver|\Closure|null $search = null;

    /**
     * @param Store|Resolver|(\Closure(): Resolver) $store a store of your own; the others come from open() and over()
     * @param Observer|null $observer for a store of your own
     */
    public function __construct(Store|Resolver|\Closure $store, ?Observer $observer = null)
    {
        if ($store instanceof \Closure) {
            $this->search = $store;
            $this->events = $this->guard = null;
            $this->isEngine = true;

            return;
        }
        if ($store instanceof Resolver) {
            $this->search = $store;
            $this->events = $store->events;
            $store = $store->store();
        } else {
            $this->events = $observer === null ? null : new Events($observer, new ErrorLog());
        }
        $this->store = $store;
        $engine = $store instanceof EngineStore && $this->events === null ? $store : null;
        $this->isEngine = $engine?->namespace === '';
        $this->namespace = $this->isEngine ? null : $engine?->namespace;
        $this->guard = $store instanceof TierStore && $this->events === null ? $store->guard : null;
    }

    /**
     * Opens the store of a DSN. It connects to a server on first use. While that is unreachable, calls are misses (with
     * on_failure=throw they throw), and each outage is logged once.
     *
     * @param string|null $dsn such as "redis://127.0.0.1:6379?namespace=shop"; "auto:" takes the engine, else APCu,
     *         else files; null for that of the environment variable LARDER_DSN, or "auto:" without it
     * @param LoggerInterface|null $logger receives the begin and the end of outages; null: PHP's error log
     * @param \Closure(Endpoint): (string|array{string, string})|null $credentials for a login that rotates: called for
     *         each connection to a Redis or memcached server, it returns the password, or user and password. If it
     *         throws, the server counts as down
     * @param Observer|null $observer receives hits, misses, computations and failures, also of sub-namespaces
     * @throws InvalidDsn with the part that is wrong
     * @throws StoreUnavailable if an extension or a directory is missing; the message says how to get it
     */
    public static function open(
        #[\SensitiveParameter]
        ?string $dsn = null,
        ?LoggerInterface $logger = null,
        #[\SensitiveParameter]
        ?\Closure $credentials = null,
        ?Observer $observer = null,
    ): self {
        self::checkHost();
        $dsn ??= DefaultDsn::get();
        // The engine and APCu need no parser for these DSNs. All others go to Resolver, invalid ones too.
        $isApcu = str_starts_with($dsn, 'apcu:');
        $isHere = $isApcu || $dsn === 'auto:' || str_starts_with($dsn, 'larder:');
        if ($isHere && $credentials === null && $observer === null) {
            $cache = new self(static fn(): Resolver => Resolver::at(Drivers::parse($dsn), $logger));
            $cache->isEngine = !$isApcu && Engine::isWhole($dsn);
            $cache->namespace = $isApcu || $cache->isEngine ? null : Engine::namespaceOf($dsn);
            $cache->apcu = $isApcu ? Apcu::prefixOf($dsn) : null;
            if ($cache->isEngine || $cache->namespace !== null || $cache->apcu !== null) {
                return $cache;
            }
        }

        return new self(Resolver::at(Drivers::parse($dsn), $logger, $credentials, observer: $observer));
    }

    /**
     * Opens a cache over a client that the application has: a Redis, RedisCluster, Predis, Memcached or PDO object. It
     * opens no connection, neither changes the client's settings nor depends on them, and never closes it. While the
     * application has a transaction or a pipeline open on the client, calls are misses, or false. A forked process
     * needs another client.
     *
     * @param object $client or a closure that returns it, called on first use in each process, and again after a lost
     *         connection. Its return type says which client it is: fn(): \Redis => …
     * @param string $options those of a DSN, such as "namespace=shop&serializer=igbinary"
     * @param LoggerInterface|null $logger receives the first failure of each outage, at once; null: PHP's error log
     * @param string $local the DSN of a local tier, such as "larder:", for copies in this host's memory as those of
     *         tier:, whose options local_ttl and poll are among $options. Copies of two servers never mix
     * @param Observer|null $observer as for open()
     * @throws InvalidDsn for options that are unknown, or belong to the client, such as a timeout
     * @throws NotSupported for an object of another class; for a client whose settings the store cannot work with
     * @throws StoreUnavailable as open() does
     */
    public static function over(
        #[\SensitiveParameter]
        object $client,
        #[\SensitiveParameter]
        string $options = '',
        ?LoggerInterface $logger = null,
        #[\SensitiveParameter]
        string $local = '',
        ?Observer $observer = null,
    ): self {
        self::checkHost();
        $borrowed = Drivers::hold($client, $local !== '');
        $tier = $local === '' ? null : Drivers::parse($local)->asTier('of the whole cache: write it among the options');

        $dsn = $borrowed->dsn($options);

        return new self(Resolver::at($dsn, $logger, client: $borrowed, local: $tier, observer: $observer));
    }

    /** @throws StoreUnavailable if the host disables functions that every cache needs; see Functions */
    private static function checkHost(): void
    {
        try {
            $isComplete = ini_get('disable_functions') === '';
        } catch (\Error) {
            $isComplete = false;
        }
        if (!$isComplete) {
            StoreUnavailable::unlessThere('Larder', Functions::missing());
        }
    }

    /**
     * A cache in the namespace "<this cache's>-<name>" of the same store, with the same options and connections.
     * Neither sees the other's values, nor clears them.
     *
     * @param string $name 1 to 32 of A-Z a-z 0-9 _ -; the whole namespace has no more than 32 either
     * @throws InvalidDsn for another name
     * @throws NotSupported for a store that was passed to the constructor
     */
    public function withSubNamespace(string $name): self
    {
        $sub = $this->search()?->inSubNamespace($name) ?? throw new NotSupported('Only a cache of Cache::open() or '
            . 'Cache::over() has sub-namespaces: open another store with a namespace of its own');

        return new self($sub);
    }

    /**
     * The same cache, which recomputes early and stale values before the response: for callbacks of a framework, whose
     * request is over after it.
     *
     * @internal
     */
    public function withinRequest(): self
    {
        $cache = clone $this;
        $cache->isWithinRequest = true;
        $cache->remember = null;

        return $cache;
    }

    /**
     * One of getManyWithTags(), quicker.
     *
     * @internal
     * @return mixed the value alone, if no more is known of it; else a TaggedValue
     */
    public function getWithTags(string $key, mixed $default): mixed
    {
        $prefix = self::isUsual($key) ? $this->prefix() : null;

        return $prefix !== null ? $this->ofEngine($prefix . $key, $prefix, $default)
            : $this->getManyWithTags([$key])[$key] ?? $default;
    }

    /**
     * Connects to the server of this cache, if it has one, for a check at the start of a program.
     *
     * @throws StoreUnavailable with what is wrong and what to do
     */
    public function reach(): void
    {
        $store = $this->store();
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
        return $this->search()?->candidates() ?? [];
    }

    /**
     * Number of values that could not be read since this cache was opened, by reason (see Larder\Codec\Failure). Each
     * was a miss. "forged" and "unsigned" mean that another program writes to the store. "not stored" counts set() and
     * setMany() that returned false, and locks that were refused. The engine counts for all processes:
     * larder_info()['unreadable'] and ['refusals'].
     *
     * @return array<string, int> empty for a store that was passed to the constructor: ask its codec
     */
    public function failures(): array
    {
        return $this->search()?->failures()->counts() ?? [];
    }

    public function store(): Store
    {
        return $this->store ??= $this->search()?->store()
            ?? throw new \LogicException('A cache has a store, or what opens it');
    }

    public function defaultTtl(): float
    {
        return $this->search instanceof Resolver ? $this->search->defaultTtl() : 0.0;
    }

    public function get(string $key, mixed $default = null): mixed
    {
        if ($this->isEngine) {
            try {
                $stored = \larder_fetch($key, $default);
            } catch (\ValueError) {
                return $this->store()->get($key, $default); // says what is wrong
            }
        } elseif ($this->namespace !== null) {
            $name = Engine::nameNow($this->namespace, $key);
            $stored = $name === null ? $this->store()->get($key, $default) : \larder_fetch($name, $default);
        } elseif ($this->apcu !== null) {
            $isForStore = $this->search; // an object that is no value
            $stored = Apcu::fetch($this->apcu, $key, $default, $isForStore);
            if ($stored === $isForStore) {
                $stored = $this->store()->get($key, $default);
            }
        } elseif ($this->guard !== null) {
            try {
                $stored = \larder_fetch_if($key, $this->guard);
            } catch (\ValueError) {
                $stored = null;
            }
            $stored ??= $this->store()->get($key, $default); // distinguishes null from a miss, and says what is wrong
        } elseif ($this->events === null) {
            $stored = ($this->store ?? $this->store())->get($key, $default);
        } else {
            $stored = $this->store()->get($key, $this);
            $value = StoredValue::is($stored) ? $this->unwrap($stored, $this) : $stored;

            return $this->observed($this->events, $key, $value, $default);
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
        $prefix = $this->prefix();
        $values = $prefix === null ? null : $this->manyOfEngine($keys, $prefix);
        if ($values !== null) {
            return $values;
        }
        $values = $tagVersions = [];
        $store = $this->store();
        foreach ($this->storedMany($keys, $store, $store) as $key => $stored) {
            $isThere = $stored !== $store;
            $isTimed = $isThere && $store instanceof EngineStore;
            $entry = $isTimed ? \larder_fetch_entry($store->name((string) $key)) : null;
            $value = StoredValue::ofEntry($entry ?? ['value' => $stored], microtime(true));
            if ($isThere && $value?->isFresh(microtime(true)) === true) {
                $values[$key] = $value->tagged();
                $tagVersions[$key] = $value->tagVersions;
            }
        }

        $current = array_intersect_key($values, $this->tags()->current($tagVersions));
        if ($this->events !== null) {
            foreach ($keys as $key) {
                $this->events->tell(isset($current[$key]) ? new Hit((string) $key) : new Miss((string) $key));
            }
        }

        return $current;
    }

    public function pull(string $key, mixed $default = null): mixed
    {
        self::writable($key);
        $pulled = null;
        $store = Capability::of($this->store(), AtomicStore::class);
        $seconds = $store instanceof EngineStore ? EngineStore::SHORTEST : self::PULLED_SECONDS;
        $isPulled = $store->setIf($key, static function (mixed $there) use (&$pulled): bool {
            $pulled = $there;

            return StoredValue::found($there)?->isNothing() === false;
        }, StoredValue::pulled()->stored(), $seconds);
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
        if (isset($key[0]) && $key[0] === "\0") { // as writable() does
            ReservedKey::refuse($key);
        }

        if (\is_array($value) && isset($value[StoredValue::MARK])) {
            $value = StoredValue::plain($value);
        }

        return ($this->store ?? $this->store())->set($key, $value, $ttl) || $this->notStored();
    }

    public function setMany(array $values, int|float $ttl = 0, array|TagVersions $tags = []): bool
    {
        foreach ($values as $key => $_) {
            self::writable((string) $key);
        }
        $tagVersions = $this->versionsOf($tags);
        if ($tagVersions === null) {
            $this->deleteMany(array_keys($values));

            return $this->notStored();
        }
        $wrap = static fn(mixed $value): mixed => StoredValue::tagging($value, $tagVersions);
        $stored = array_map($tagVersions === [] ? StoredValue::plain(...) : $wrap, $values);

        return $this->withinOneWaitBudget(fn(): bool => $this->store()->setMany($stored, $ttl)) || $this->notStored();
    }

    /** The defaults are those of RememberOptions, which a hit in the engine need not load. */
    public function remember(
        string $key,
        int|float $ttl,
        callable $make,
        int|float $stale = 0,
        array $tags = [],
        int|float $wait = 5,
        int|float $lease = 4,
        float $beta = 1.0,
        float $jitter = 0.05,
    ): mixed {
        $isAsked = false;
        $name = $this->isEngine ? $key : ($this->namespace === null ? null : Engine::nameNow($this->namespace, $key));
        // Usual arguments; RememberOptions checks the others.
        if ($name !== null && $ttl >= 0 && $stale >= 0 && $wait >= 0 && ($lease === 4 || ($lease > 0 && $lease < 900))
            && $beta >= 0.0 && $beta < \INF && $jitter >= 0.0 && $jitter < 1.0 && isset($key[0]) && $key[0] !== "\0") {
            try {
                $stored = \larder_fetch_fresh($name, $this, $beta);
                if (\is_array($stored) && isset($stored[StoredValue::MARK])) {
                    $stored = $this->unwrap($stored, $this);
                }
                if ($stored !== $this) {
                    return $stored;
                }
                $isAsked = true;
            } catch (\ValueError) {
                // RememberOptions says what is wrong with the key
            }
        }
        $options = new RememberOptions($key, $ttl, $make, $stale, $tags, $wait, $lease, $beta, $jitter);
        $store = $this->store();
        $this->remember ??= $store instanceof EngineStore
            ? new EngineRemember($store, events: $this->events, isWithinRequest: $this->isWithinRequest)
            : new Remember($store, events: $this->events, isWithinRequest: $this->isWithinRequest);

        return $this->remember->value($options, $isAsked);
    }

    public function rememberMany(array $keys, int|float $ttl, callable $make, array $tags = []): array
    {
        foreach ($keys as $key) {
            self::writable((string) $key);
        }
        Ttl::seconds($ttl);
        $values = $this->getMany($keys, $this);
        $missing = array_map(strval(...), array_keys($values, $this, true));
        if ($missing !== [] && $this->masters() !== $this->store()) {
            $values = array_replace($values, $this->readMany($missing, $this, $this->masters()));
            $missing = array_map(strval(...), array_keys($values, $this, true));
        }
        if ($missing === []) {
            return $values;
        }
        $tagVersions = $tags === [] ? [] : $this->tagVersions($tags);
        $start = hrtime(true);

        try {
            $made = array_intersect_key($make($missing), array_flip($missing));
        } catch (\Throwable $error) {
            $seconds = (hrtime(true) - $start) / 1e9 / \count($missing);
            foreach ($missing as $key) {
                $this->events?->tell(new ComputationFailed($key, $seconds, $error::class));
            }

            throw $error;
        }
        $seconds = (hrtime(true) - $start) / 1e9;
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
        return new TagVersions($this->tags()->capture($tags));
    }

    public function invalidateTags(iterable $tags): bool
    {
        return $this->tags()->invalidate($tags);
    }

    public function delete(string $key): bool
    {
        return $this->store()->delete(self::writable($key));
    }

    public function deleteMany(iterable $keys): bool
    {
        $list = [];
        foreach ($keys as $key) {
            $list[] = self::writable((string) $key);
        }

        return $this->withinOneWaitBudget(fn(): bool => $this->store()->deleteMany($list));
    }

    public function clear(): bool
    {
        return $this->withinOneWaitBudget($this->store()->clear(...));
    }

    public function reset(): void
    {
        if ($this->store instanceof ResettableStore) { // one that was not needed yet has nothing to reset
            $this->store->reset();
        }
    }

    public function can(Capability $capability): bool
    {
        return $capability->isOf($this->store());
    }

    public function add(string $key, mixed $value, int|float $ttl = 0, array|TagVersions $tags = []): bool
    {
        self::writable($key);
        $store = Capability::of($this->store(), AtomicStore::class);
        $tagVersions = $this->versionsOf($tags);
        if ($tagVersions === null) {
            return $this->notStored();
        }
        $stored = StoredValue::tagging($value, $tagVersions);

        return $store->add($key, $stored, $ttl) || $this->removesOutdated($key) && $store->add($key, $stored, $ttl);
    }

    public function replace(string $key, mixed $value, int|float $ttl = 0): bool
    {
        self::writable($key);
        $store = Capability::of($this->store(), AtomicStore::class);

        return !$this->isOutdated($key) && $store->replace($key, StoredValue::plain($value), $ttl);
    }

    public function increment(string $key, int $step = 1, int $first = 0, int|float $ttl = 0): int|false
    {
        self::writable($key);
        $store = Capability::of($this->store(), AtomicStore::class);
        $sum = $store->increment($key, $step, $first, $ttl);

        return $sum === false && $this->removesOutdated($key) ? $store->increment($key, $step, $first, $ttl) : $sum;
    }

    public function decrement(string $key, int $step = 1, int $first = 0, int|float $ttl = 0): int|false
    {
        return $step === \PHP_INT_MIN ? false : $this->increment($key, -$step, $first, $ttl);
    }

    public function touch(string $key, int|float $ttl): bool
    {
        self::writable($key);
        $store = Capability::of($this->store(), AtomicStore::class);
        $until = Ttl::until($ttl);
        $valid = $this->valid($this->masters()->get($key));
        if ($valid === null || ($valid->freshUntil !== 0.0 && ($until === 0.0 || $until > $valid->freshUntil))) {
            return false;
        }

        return $store->touch($key, $ttl);
    }

    public function expiry(string $key): ?float
    {
        $entry = Capability::of($this->store(), ExpiryAwareStore::class)->entries([$key])[$key] ?? null;
        $valid = $entry === null ? null : $this->valid($entry->stored);
        if ($entry === null || $valid === null) {
            return null;
        }
        $ends = array_diff([$entry->until ?? 0.0, $valid->freshUntil], [0.0]);

        return $ends === [] ? 0.0 : min($ends);
    }

    public function swap(string $key, int $old, int $new): bool
    {
        return Capability::of($this->store(), AtomicStore::class)->swap(self::writable($key), $old, $new);
    }

    public function getWithToken(string $key, mixed $default = null, ?string &$token = null): mixed
    {
        $found = Tokens::read($this->store(), $key);
        $valid = $found === null ? null : $this->valid($found[0]);
        $this->events?->tell($valid === null ? new Miss($key) : new Hit($key));
        if ($found === null || $valid === null) {
            $token = null;

            return $default;
        }
        // The end of a token tells setIfUnchanged() how to check, without reading the value, that it is still valid.
        $token = $found[1] . match (true) {
            $valid->tagVersions !== [] => '@' . self::TAGGED,
            $valid->freshUntil !== 0.0 => \sprintf('@%.6F', $valid->freshUntil),
            default => '',
        };

        return $valid->value;
    }

    public function setIfUnchanged(
        string $key,
        string $token,
        mixed $value,
        int|float $ttl = 0,
        array|TagVersions $tags = [],
    ): bool {
        $store = Capability::of($this->store(), AtomicStore::class);
        $tagVersions = $this->versionsOf($tags);
        [$ofStore, $condition] = [...explode('@', $token, 2), ''];
        $isOver = match ($condition) {
            '' => false,
            self::TAGGED => $this->isOutdated($key),
            default => (float) $condition <= microtime(true),
        };
        if ($tagVersions === null || $isOver) {
            return false;
        }

        return Tokens::write($store, self::writable($key), $ofStore, StoredValue::tagging($value, $tagVersions), $ttl);
    }

    public function lock(
        string $key,
        int|float $seconds,
        int|float $wait = 0,
        LockLifetime $ends = LockLifetime::TtlOrProcess,
    ): ?Lock {
        $store = Capability::of($this->store(), LockingStore::class);
        $isRefused = false;
        $lock = Lock::take($store, $key, $seconds, $wait, $ends, $isRefused);
        if ($isRefused) {
            $this->notStored();
        }

        return $lock;
    }

    public function lockHolder(string $key): ?string
    {
        return Capability::of($this->store(), LockingStore::class)->holder($key);
    }

    public function keys(string $prefix = ''): iterable
    {
        $store = Capability::of($this->store(), ListableStore::class);

        return (function () use ($store, $prefix): \Generator {
            $keys = [];
            foreach ($store->keys() as $key) {
                if (str_starts_with($key, $prefix) && Key::isValid($key) && !ReservedKey::is($key)) {
                    $keys[] = $key;
                }
                if (\count($keys) === self::KEYS_AT_ONCE) {
                    foreach ($this->keysWithValue($keys) as $listed) {
                        yield $listed; // "yield from" would repeat the array's keys
                    }
                    $keys = [];
                }
            }
            foreach ($this->keysWithValue($keys) as $listed) {
                yield $listed;
            }
        })();
    }

    public function prune(): int
    {
        return Capability::of($this->store(), PrunableStore::class)->prune();
    }

    /** The same store; its reads decide what is written, so no replica answers them. */
    private function masters(): Store
    {
        $store = $this->store();

        return $this->masters ??= $store instanceof Decorator ? MasterReads::of($store) : $store;
    }

    private function innermost(): Store
    {
        $store = $this->store();
        while ($store instanceof Decorator) {
            $store = $store->decorated();
        }

        return $store;
    }

    private function tags(): Tags
    {
        return $this->tags ??= new Tags($this->store());
    }

    /** @return string|null what is before a key in its name in the engine; null for the store */
    private function prefix(): ?string
    {
        $version = $this->namespace === null ? null : \larder_fetch($this->namespace);

        return $this->isEngine ? '' : (\is_string($version) ? "$version=" : null);
    }

    /** False for a key that the store must look at. */
    private static function isUsual(string $key): bool
    {
        return isset($key[0]) && $key[0] !== "\0" && !isset($key[Engine::SHORT]);
    }

    /**
     * @param array<string|int> $keys
     * @return array<array-key, TaggedValue>|null null for the store
     */
    private function manyOfEngine(array $keys, string $prefix): ?array
    {
        $values = [];
        foreach ($keys as $key) {
            $key = (string) $key;
            if (!self::isUsual($key)) {
                return null;
            }
            $found = $this->ofEngine($prefix . $key, $prefix, $this);
            if ($found !== $this) {
                $values[$key] = $found instanceof TaggedValue ? $found : new TaggedValue($found);
            }
        }

        return $values;
    }

    /** @return mixed as getWithTags() */
    private function ofEngine(string $name, string $prefix, mixed $default): mixed
    {
        // With this beta a value of remember() counts as one to recompute: larder_fetch_entry() has its times too.
        $stored = \larder_fetch_fresh($name, $this, \PHP_FLOAT_MAX);
        $until = $cost = 0.0;
        if ($stored === $this) {
            $entry = \larder_fetch_entry($name);
            $ttl = $entry['ttl'] ?? -1.0;
            if ($entry === null || !\is_float($ttl) || $ttl < 0.0) {
                return $default;
            }
            $stored = $entry['value'];
            $until = $ttl === 0.0 ? 0.0 : microtime(true) + $ttl;
            $cost = \is_float($entry['cost']) ? $entry['cost'] : 0.0;
        }
        if (\is_array($stored) && isset($stored[StoredValue::MARK])) {
            return $this->tagged($stored, $prefix, $until, $cost) ?? $default;
        }

        return $until === 0.0 && !$stored instanceof TaggedValue ? $stored
            : new TaggedValue($stored, [], $until, $cost);
    }

    /** @param non-empty-array<mixed> $stored of the form of StoredValue */
    private function tagged(array $stored, string $prefix, float $until, float $cost): ?TaggedValue
    {
        $tags = $this->currentTags($stored, $prefix);
        if ($tags !== null) {
            return new TaggedValue($stored[0], $tags, $until, $cost);
        }
        $found = $this->valid($stored);
        $tagged = $found?->tagged();

        return $tagged === null || $tagged->freshUntil !== 0.0 ? $tagged
            : new TaggedValue($tagged->value, $tagged->tags, $until, $cost);
    }

    /**
     * @param array<array-key, mixed> $stored of the form of StoredValue
     * @return list<string>|null its tags if the engine has their versions; null if a closer look is needed
     */
    private function currentTags(array $stored, string $prefix): ?array
    {
        $about = $stored[StoredValue::MARK];
        if (!\is_array($about) || ($about[0] ?? null) !== 0.0 || !\is_array($about[2] ?? null)
            || !\array_key_exists(0, $stored)) {
            return null;
        }
        $prefix = ($prefix === '' ? '' : "\0$prefix") . "\0larder-tag:"; // as Engine::name() does
        $tags = [];
        foreach ($about[2] as $tag => $version) { // as Tags does; long tags are left to it
            $tags[] = $tag = (string) $tag;
            if (isset($tag[255]) || \larder_fetch($prefix . $tag) !== $version) {
                return null;
            }
        }

        return $tags;
    }

    private function search(): ?Resolver
    {
        return $this->search instanceof \Closure ? $this->search = ($this->search)() : $this->search;
    }

    /**
     * @param array<string|int> $keys
     * @return array<array-key, mixed>
     */
    private function readMany(array $keys, mixed $default, ?Store $store = null): array
    {
        $values = $this->storedMany($keys, $default, $store ?? $this->store());
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
        if ($tagVersions !== []) {
            $outdated = array_diff_key($tagVersions, $this->tags()->current($tagVersions));
            $values = array_replace($values, array_fill_keys(array_keys($outdated), $default));
        }

        return $values;
    }

    /**
     * @param array<string|int> $keys
     * @return array<array-key, mixed>
     */
    private function storedMany(array $keys, mixed $default, Store $store): array
    {
        $keys = array_map(strval(...), array_values($keys));

        return $this->withinOneWaitBudget(static fn(): array => $store->getMany($keys, $default));
    }

    /**
     * @param array<string|int>|TagVersions $tags
     * @return array<array-key, int>|null null if the store refused them
     */
    private function versionsOf(array|TagVersions $tags): ?array
    {
        return match (true) {
            $tags instanceof TagVersions => $tags->byTag,
            $tags === [] => [],
            default => $this->tags()->capture($tags),
        };
    }

    /** @param mixed $value this object for a miss */
    private function observed(Events $events, string $key, mixed $value, mixed $default): mixed
    {
        $events->tell($value === $this ? new Miss($key) : new Hit($key));

        return $value === $this ? $default : $value;
    }

    /**
     * @return string the key
     * @throws InvalidKey for one of Larder's own
     */
    private static function writable(string $key): string
    {
        return isset($key[0]) && $key[0] === "\0" ? ReservedKey::refuse($key) : $key;
    }

    /** @return bool false, the result of set() */
    private function notStored(): bool
    {
        $this->search()?->failures()->add(Failure::NotStored);

        return false;
    }

    /**
     * @param list<string> $keys
     * @return list<string> without those of placeholders and of pulled values
     */
    private function keysWithValue(array $keys): array
    {
        $inner = $this->innermost();
        if ($keys === [] || $inner instanceof EngineStore || $inner instanceof RedisStore) {
            return $keys; // these stores leave them out
        }
        $stored = $this->store()->getMany($keys);

        $isValue = static fn(string $key): bool => StoredValue::found($stored[$key])?->isNothing() !== true;

        return array_values(array_filter($keys, $isValue));
    }

    /**
     * @template T
     * @param \Closure(): T $calls
     * @return T
     */
    private function withinOneWaitBudget(\Closure $calls): mixed
    {
        if ($this->waitBudget === null) {
            $store = $this->innermost();
            $this->waitBudget = $store instanceof HasWaitBudget ? $store : false;
        }

        return $this->waitBudget === false ? $calls() : $this->waitBudget->withinOneWaitBudget($calls);
    }

    /** @param array<array-key, mixed> $stored of the form of StoredValue, or damaged: a miss */
    private function unwrap(array $stored, mixed $default): mixed
    {
        $prefix = $stored === $default ? null : $this->prefix();
        if ($prefix !== null && $this->currentTags($stored, $prefix) !== null) {
            return $stored[0];
        }
        $valid = $stored === $default ? null : $this->valid($stored);

        return $valid === null ? $default : $valid->value;
    }

    /** @return StoredValue|null null if it is out of date, or damaged */
    private function valid(mixed $stored): ?StoredValue
    {
        $found = StoredValue::found($stored);

        return $found?->isFresh(microtime(true)) === true
            && ($found->tagVersions === [] || $this->tags()->areCurrent($found->tagVersions)) ? $found : null;
    }

    /**
     * True if there is a value that get() treats as a miss.
     *
     * @phpstan-impure
     */
    private function isOutdated(string $key): bool
    {
        return $this->valid($this->masters()->get($key)) === null;
    }

    /**
     * Removes an outdated value that blocks an atomic operation of the store. One process at a time does so, because
     * two could remove what was stored in between.
     *
     * @return bool true if the operation may succeed now
     */
    private function removesOutdated(string $key): bool
    {
        $stored = $this->masters()->get($key, $this);
        if ($stored === $this) {
            return true; // it ended since then
        }
        $name = ReservedKey::removal($key);
        $lock = $this->valid($stored) === null ? $this->lock($name, self::REMOVAL_SECONDS, self::REMOVAL_WAIT) : null;
        if ($lock === null) {
            return false;
        }

        try {
            return !$this->isOutdated($key) || $this->store()->delete($key);
        } finally {
            $lock->release();
        }
    }
}

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
use Larder\Driver\Engine\EngineStore;
use Larder\Dsn\Dsn;
use Larder\Exception\InvalidDsn;
use Larder\Exception\InvalidKey;
use Larder\Exception\InvalidTtl;
use Larder\Exception\NotSupported;
use Larder\Exception\StoreUnavailable;
use Larder\Key\ReservedKey;
use Larder\Key\Ttl;
use Larder\Lock\Lock;
use Larder\Remember\Computation;
use Larder\Remember\Remember;
use Larder\Remember\RememberOptions;
use Larder\Remember\StoredValue;
use Larder\Tag\Tags;
use Larder\Tag\TagVersions;
use Psr\Log\LoggerInterface;

use function larder_fetch;

/**
 * One cache over every place: what a Store promises, for whichever store the address names. What only some stores can do
 * throws NotSupported by the others; what they do, they do in one step, whatever other processes do at the same time.
 */
final class Cache
{
    private const REMOVAL_SECONDS = 10;
    private const REMOVAL_WAIT = 2;
    /** Not many, as their values are read too. */
    private const KEYS_AT_ONCE = 16;

    /** Whether a fetch is the engine's own, without a key put before: then get() calls it without a detour. */
    private readonly bool $isEngine;
    private readonly Tags $tags;
    private readonly ?HasWaitBudget $patient;
    private ?Remember $remember = null;

    public function __construct(private readonly Store $store, private readonly ?Resolver $search = null)
    {
        $this->isEngine = $store instanceof EngineStore;
        $this->tags = new Tags($store);
        while ($store instanceof Decorator) {
            $store = $store->decorated();
        }
        $this->patient = $store instanceof HasWaitBudget ? $store : null;
    }

    /**
     * @param string $address such as "redis://127.0.0.1:6379?namespace=shop"; "auto:" takes the engine, else APCu, else files
     * Connects to no server before it is needed: one that is away is a miss then, told once for each outage, and throws
     * only with on_failure=throw.
     *
     * @param LoggerInterface $logger is told when a server goes away, and when it is back; without one PHP's error log
     * @throws InvalidDsn naming what is known
     * @throws StoreUnavailable when an extension or a directory is missing: what, and how to get it
     */
    public static function open(#[\SensitiveParameter] string $address = 'auto:', LoggerInterface $logger = new ErrorLog()): self
    {
        $search = Resolver::at(Dsn::parse($address), $logger);

        return new self($search->store(), $search);
    }

    /**
     * Connects now to the server of this cache, unless it is connected or has none: for a check at the start of a program.
     *
     * @throws StoreUnavailable naming what is wrong and what to do about it
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
     * Why this store: what open() looked for, in this order, and what would make available what was not.
     *
     * @return list<CandidateStore> empty for a store that the constructor was given
     */
    public function explain(): array
    {
        return $this->search?->candidates() ?? [];
    }

    /**
     * How many stored values could not be read since this cache was opened, by reason (see Larder\Codec\Failure): each of
     * them was a miss. "forged" and "unsigned" mean that somebody else writes there. "not stored" is how often set() and
     * setMany() were false. The engine counts its own, of all processes: larder_info()['unreadable'] and ['refusals'].
     *
     * @return array<string, int> empty for a store that the constructor was given: its codec knows
     */
    public function failures(): array
    {
        return $this->search?->failures->counts() ?? [];
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
        if ($this->isEngine) {
            try {
                $stored = larder_fetch($key, $default);
            } catch (\ValueError) {
                return $this->store->get($key, $default); // which says what is wrong
            }
        } else {
            $stored = $this->store->get($key, $default);
        }

        return \is_array($stored) && isset($stored[StoredValue::MARK]) ? $this->unwrap($stored, $default) : $stored;
    }

    /**
     * @param array<string|int> $keys PHP makes integers of array keys such as "7": they are taken back
     * @return array<array-key, mixed> every asked key in the order asked, misses as the default
     * @throws InvalidKey
     */
    public function getMany(array $keys, mixed $default = null): array
    {
        $values = $this->patiently(fn(): array => $this->store->getMany(array_map(strval(...), array_values($keys)), $default));
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

    /** @throws InvalidKey */
    public function has(string $key): bool
    {
        return $this->get($key, $this) !== $this;
    }

    /**
     * @param int|float $ttl seconds, fractions allowed; 0 for no expiry
     * @param array<string|int>|TagVersions $tags what invalidateTags() takes; a value that was computed from what may have
     *        changed meanwhile needs those that tagVersions() gave before
     * @return bool false when the store refused, also a tag; the old value is gone then too
     * @throws InvalidKey also for a tag
     * @throws InvalidTtl when negative or not a number
     */
    public function set(string $key, mixed $value, int|float $ttl = 0, array|TagVersions $tags = []): bool
    {
        if ($tags !== []) {
            return $this->setMany([$key => $value], $ttl, $tags);
        }

        return $this->store->set($key, \is_array($value) && isset($value[StoredValue::MARK]) ? StoredValue::plain($value) : $value, $ttl) || $this->notStored();
    }

    /**
     * @param array<array-key, mixed> $values
     * @param array<string|int>|TagVersions $tags of each of them, as set() takes them
     * @return bool false when any was refused
     * @throws InvalidKey
     * @throws InvalidTtl
     */
    public function setMany(array $values, int|float $ttl = 0, array|TagVersions $tags = []): bool
    {
        if ($tags === []) {
            return $this->patiently(fn(): bool => $this->store->setMany(array_map(StoredValue::plain(...), $values), $ttl)) || $this->notStored();
        }
        $tagVersions = ($tags instanceof TagVersions ? $tags : $this->tagVersions($tags))->byTag;
        if ($tagVersions === null) {
            $this->deleteMany(array_keys($values));

            return $this->notStored();
        }

        $wrapped = array_map(static fn(mixed $value): array => (new StoredValue($value, tagVersions: $tagVersions))->stored(), $values);

        return $this->patiently(fn(): bool => $this->store->setMany($wrapped, $ttl)) || $this->notStored();
    }

    /**
     * The value, computed by $make when there is none. Of any number of processes that need it at once, one computes; the
     * others wait for it, 5 seconds at most, and compute for themselves then, or as soon as nothing was stored. An exception
     * of $make is the caller's; only where there is an old value, that is returned, and the exception goes to PHP's error
     * log. Bad input is refused by the exceptions of set().
     *
     * What is set, deleted or cleared while a value is computed is not written over by it, on stores that can compare.
     *
     * @template T
     * @param int|float $ttl seconds, 0 for no expiry; by chance up to $jitter shorter, so that not all expire at once
     * @param callable(Computation): T $make what it returns is kept, null and false too
     * @param int|float $stale seconds after its ttl in which the old value is still returned while one makes the new one
     * @param list<string> $tags what invalidateTags() takes; noted before $make is called
     * @param int|float $wait seconds for which others wait
     * @param int|float $lease seconds after which another begins, where it is not to be seen whether the one that computes
     *        lives: on servers
     * @param float $beta how early a value is made anew before its ttl is over, by chance and by what it costs (XFetch): 0.0
     *        never, INF now: nothing is waited for, those who began before store no more, and exceptions reach the caller
     * @param float $jitter less than 1
     * @return T
     * @phpstan-impure
     */
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
        $this->remember ??= new Remember($this->store, $this->tags);

        return $this->remember->value(new RememberOptions($key, $ttl, $make, $stale, $tags, $wait, $lease, $beta, $jitter));
    }

    /**
     * The present state of tags, for set(): to be asked for before what a value is computed from is read, so that the value
     * is not served if a tag is invalidated meanwhile.
     *
     * @param iterable<string|int> $tags 1 to 65,535 bytes each
     * @throws InvalidKey
     */
    public function tagVersions(iterable $tags): TagVersions
    {
        return new TagVersions($this->tags->capture($tags));
    }

    /**
     * Makes every value with one of these tags a miss from now on, and those that are being computed since before. Takes the
     * same time however many values there are.
     *
     * @param iterable<string|int> $tags
     * @return bool false when the store, or one of its servers, cannot be reached: it may serve such values when it is back
     * @throws InvalidKey before anything is invalidated
     */
    public function invalidateTags(iterable $tags): bool
    {
        return $this->tags->invalidate($tags);
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
        return $this->patiently(function () use ($keys): bool {
            $all = true;
            foreach ($keys as $key) {
                $all = $this->store->delete((string) $key) && $all;
            }

            return $all;
        });
    }

    /** Removes what this cache stored under its namespace, and nothing else. */
    public function clear(): bool
    {
        return $this->patiently($this->store->clear(...));
    }

    /**
     * To be called between two requests where one process serves many: what belongs to one request goes, which are the values
     * of an array: store. Connections stay open, and what is known of servers that are away is kept.
     */
    public function reset(): void
    {
        if ($this->store instanceof ResettableStore) {
            $this->store->reset();
        }
    }

    /** Whether the method that this is about works here. */
    public function can(Capability $capability): bool
    {
        return $capability->isOf($this->store);
    }

    /**
     * Stores where there is nothing, or a value that is out of date: past its freshness, or with a tag that was invalidated.
     *
     * @param int|float $ttl seconds, 0 for no expiry
     * @return bool false when there is a value, which stays, or the store refused
     * @throws NotSupported|InvalidKey|InvalidTtl
     */
    public function add(string $key, mixed $value, int|float $ttl = 0): bool
    {
        $store = Capability::of($this->store, AtomicStore::class);
        $stored = StoredValue::plain($value);

        return $store->add($key, $stored, $ttl) || $this->removesOutdated($key) && $store->add($key, $stored, $ttl);
    }

    /**
     * Stores where there is something.
     *
     * @param int|float $ttl seconds, 0 for no expiry
     * @return bool false when there is nothing, or the store refused
     * @throws NotSupported|InvalidKey|InvalidTtl
     */
    public function replace(string $key, mixed $value, int|float $ttl = 0): bool
    {
        $store = Capability::of($this->store, AtomicStore::class);

        return !$this->isOutdated($key) && $store->replace($key, StoredValue::plain($value), $ttl);
    }

    /**
     * Adds to an integer. A missing one counts as $first and gets the ttl; an existing one keeps its expiry. One with tags, or
     * from remember(), cannot be counted.
     *
     * @param int|float $ttl seconds, 0 for no expiry
     * @return int|false the sum; false, and nothing changes, when the value is no integer, the sum would leave the range
     *                   of int, or the store refused
     * @throws NotSupported|InvalidKey|InvalidTtl
     */
    public function increment(string $key, int $step = 1, int $first = 0, int|float $ttl = 0): int|false
    {
        $store = Capability::of($this->store, AtomicStore::class);
        $sum = $store->increment($key, $step, $first, $ttl);

        return $sum === false && $this->removesOutdated($key) ? $store->increment($key, $step, $first, $ttl) : $sum;
    }

    /**
     * As increment(), downwards, and below 0 too.
     *
     * @param int $step not PHP_INT_MIN, which has no negative
     * @throws NotSupported|InvalidKey|InvalidTtl
     */
    public function decrement(string $key, int $step = 1, int $first = 0, int|float $ttl = 0): int|false
    {
        return $step === \PHP_INT_MIN ? false : $this->increment($key, -$step, $first, $ttl);
    }

    /**
     * Gives a value $ttl seconds from now; 0 for no expiry. Its tags stay.
     *
     * @return bool false when there is none, it is one of remember() that is not to be fresh for so long, or the store
     *              refused
     * @throws NotSupported|InvalidKey|InvalidTtl
     */
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

    /**
     * When get() gives a value no longer.
     *
     * @return float|null unix time, 0.0 for never; null when there is none, or it is out of date
     * @throws NotSupported|InvalidKey
     * @phpstan-impure
     */
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

    /**
     * Puts the integer $new in the place of $old; the expiry stays.
     *
     * @return bool false when there is nothing or something else, which stays, or the store refused
     * @throws NotSupported|InvalidKey
     */
    public function swap(string $key, int $old, int $new): bool
    {
        return Capability::of($this->store, AtomicStore::class)->swap($key, $old, $new);
    }

    /**
     * A lock that one process has at a time, until it releases it, $seconds are over, or it ends: a holder that died is
     * succeeded at once on stores of this machine, after its time on servers. It protects work that several must not begin
     * at once, not data against a holder that went on too long; a store that loses values may lose a lock too.
     *
     * @param int|float $seconds more than 0, a year at most
     * @param int|float $wait seconds to wait for it, 0 to try once; looked at every few milliseconds
     * @param LockLifetime $ends Ttl for a lock that stays when this process ends, as another goes on
     * @return Lock|null null when another has it
     * @throws NotSupported|InvalidKey|InvalidTtl
     */
    public function lock(string $key, int|float $seconds, int|float $wait = 0, LockLifetime $ends = LockLifetime::TtlOrProcess): ?Lock
    {
        return Lock::take(Capability::of($this->store, LockingStore::class), $key, $seconds, $wait, $ends);
    }

    /**
     * The keys that have a value here; not for each request, since all of them are looked at.
     *
     * @param string $prefix with which they begin
     * @return iterable<string>
     * @throws NotSupported
     */
    public function keys(string $prefix = ''): iterable
    {
        $store = Capability::of($this->store, ListableStore::class);

        return (function () use ($store, $prefix): \Generator {
            $keys = [];
            foreach ($store->keys() as $key) {
                if (str_starts_with($key, $prefix) && !ReservedKey::is($key)) {
                    $keys[] = $key;
                }
                if (\count($keys) === self::KEYS_AT_ONCE) {
                    foreach ($this->withoutPlaceholders($keys) as $listed) {
                        yield $listed;
                    }
                    $keys = [];
                }
            }
            foreach ($this->withoutPlaceholders($keys) as $listed) {
                yield $listed;
            }
        })();
    }

    /**
     * Removes what has expired and still takes room. Stores that offer it remove some at each write too; this looks at all
     * of them, so it is for a cron job.
     *
     * @return int how many values were removed
     * @throws NotSupported by a store that leaves nothing behind, or removes it by itself
     */
    public function prune(): int
    {
        return Capability::of($this->store, PrunableStore::class)->prune();
    }

    /** @return bool false: what set() answers */
    private function notStored(): bool
    {
        $this->search?->failures->add(Failure::NotStored);

        return false;
    }

    /**
     * @param list<string> $keys
     * @return list<string> those under which no value is just being computed for the first time
     */
    private function withoutPlaceholders(array $keys): array
    {
        $stored = $keys === [] ? [] : $this->store->getMany($keys);

        return array_values(array_filter($keys, static fn(string $key): bool => !StoredValue::is($stored[$key]) || StoredValue::of($stored[$key])?->isPlaceholder() !== true));
    }

    /**
     * @template T
     * @param \Closure(): T $calls
     * @return T
     */
    private function patiently(\Closure $calls): mixed
    {
        return $this->patient === null ? $calls() : $this->patient->patiently($calls);
    }

    /** @param array<array-key, mixed> $stored of the form of Wrapped, or damaged: then a miss */
    private function unwrap(array $stored, mixed $default): mixed
    {
        $valid = $stored === $default ? null : $this->valid($stored);

        return $valid === null ? $default : $valid->value;
    }

    /**
     * @param array<array-key, mixed> $stored of the form of Wrapped
     * @return StoredValue|null null when it is out of date, or damaged
     */
    private function valid(array $stored): ?StoredValue
    {
        $wrapped = StoredValue::of($stored);

        return $wrapped !== null && $wrapped->isFresh(microtime(true))
            && ($wrapped->tagVersions === [] || $this->tags->areCurrent($wrapped->tagVersions)) ? $wrapped : null;
    }

    /**
     * Whether there is a value that get() does not give.
     *
     * @phpstan-impure
     */
    private function isOutdated(string $key): bool
    {
        $stored = $this->store->get($key);

        return StoredValue::is($stored) && $this->valid($stored) === null;
    }

    /**
     * Removes what is out of date and in the way of what the store does in one step: by one process at a time, or one would
     * remove what another has stored there since.
     *
     * @return bool whether the way may be free now
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

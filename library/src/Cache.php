<?php

declare(strict_types=1);

namespace Larder;

use Larder\Exception\InvalidAddress;
use Larder\Exception\InvalidKey;
use Larder\Exception\InvalidTtl;
use Larder\Exception\NotSupported;
use Larder\Exception\StoreUnavailable;
use Larder\Store\Capability;
use Larder\Store\Capability\Adds;
use Larder\Store\Capability\Counts;
use Larder\Store\Capability\Lists;
use Larder\Store\Capability\Locks;
use Larder\Store\Capability\Replaces;
use Larder\Store\Capability\Swaps;
use Larder\Store\Capability\Touches;
use Larder\Store\LarderStore;
use Larder\Store\ReservedKey;
use Larder\Store\Store;

use function larder_fetch;

/**
 * One cache over every place: what a Store promises, for whichever store the address names. What only some stores can do
 * throws NotSupported by the others; what they do, they do in one step, whatever other processes do at the same time.
 */
final class Cache
{
    /** Whether a fetch is the engine's own, without a key put before: then get() calls it without a detour. */
    private readonly bool $isEngine;

    public function __construct(private readonly Store $store, private readonly ?Search $search = null)
    {
        $this->isEngine = $store instanceof LarderStore;
    }

    /**
     * @param string $address such as "redis://127.0.0.1:6379?namespace=shop"; "auto:" takes the engine, else APCu, else files
     * @throws InvalidAddress naming what is known
     * @throws StoreUnavailable naming what is missing and how to get it
     */
    public static function open(#[\SensitiveParameter] string $address = 'auto:'): self
    {
        $search = Search::at(Address::parse($address));

        return new self($search->store(), $search);
    }

    /**
     * Why this store: what open() looked for, in this order, and what would make available what was not.
     *
     * @return list<Candidate> empty for a store that the constructor was given
     */
    public function explain(): array
    {
        return $this->search?->candidates() ?? [];
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

        return \is_array($stored) && isset($stored[Wrapped::MARK]) ? $this->unwrap($stored, $default) : $stored;
    }

    /**
     * @param array<string|int> $keys PHP makes integers of array keys such as "7": they are taken back
     * @return array<array-key, mixed> every asked key in the order asked, misses as the default
     * @throws InvalidKey
     */
    public function getMany(array $keys, mixed $default = null): array
    {
        $values = $this->store->getMany(array_map(strval(...), array_values($keys)), $default);
        foreach ($values as $key => $stored) {
            if (\is_array($stored) && isset($stored[Wrapped::MARK])) {
                $values[$key] = $this->unwrap($stored, $default);
            }
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
     * @return bool false when the store refused; the old value is gone then too
     * @throws InvalidKey
     * @throws InvalidTtl when negative or not a number
     */
    public function set(string $key, mixed $value, int|float $ttl = 0): bool
    {
        return $this->store->set($key, \is_array($value) && isset($value[Wrapped::MARK]) ? Wrapped::plain($value) : $value, $ttl);
    }

    /**
     * @param array<array-key, mixed> $values
     * @return bool false when any was refused
     * @throws InvalidKey
     * @throws InvalidTtl
     */
    public function setMany(array $values, int|float $ttl = 0): bool
    {
        return $this->store->setMany(array_map(Wrapped::plain(...), $values), $ttl);
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

    /** Whether the method that this is about works here. */
    public function can(Capability $capability): bool
    {
        return $capability->isOf($this->store);
    }

    /**
     * Stores where there is nothing.
     *
     * @param int|float $ttl seconds, 0 for no expiry
     * @return bool false when there is a value, which stays, or the store refused
     * @throws NotSupported|InvalidKey|InvalidTtl
     */
    public function add(string $key, mixed $value, int|float $ttl = 0): bool
    {
        return Capability::of($this->store, Adds::class)->add($key, Wrapped::plain($value), $ttl);
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
        return Capability::of($this->store, Replaces::class)->replace($key, Wrapped::plain($value), $ttl);
    }

    /**
     * Adds to an integer. A missing one counts as $first and gets the ttl; an existing one keeps its expiry.
     *
     * @param int|float $ttl seconds, 0 for no expiry
     * @return int|false the sum; false, and nothing changes, when the value is no integer, the sum would leave the range
     *                   of int, or the store refused
     * @throws NotSupported|InvalidKey|InvalidTtl
     */
    public function increment(string $key, int $step = 1, int $first = 0, int|float $ttl = 0): int|false
    {
        return Capability::of($this->store, Counts::class)->increment($key, $step, $first, $ttl);
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
     * Gives a value $ttl seconds from now; 0 for no expiry.
     *
     * @return bool false when there is none, or the store refused
     * @throws NotSupported|InvalidKey|InvalidTtl
     */
    public function touch(string $key, int|float $ttl): bool
    {
        return Capability::of($this->store, Touches::class)->touch($key, $ttl);
    }

    /**
     * Puts the integer $new in the place of $old; the expiry stays.
     *
     * @return bool false when there is nothing or something else, which stays, or the store refused
     * @throws NotSupported|InvalidKey
     */
    public function swap(string $key, int $old, int $new): bool
    {
        return Capability::of($this->store, Swaps::class)->swap($key, $old, $new);
    }

    /**
     * A lock that one process has at a time, until it releases it or $seconds are over: a holder that died is succeeded
     * then. It protects work that several must not begin at once, not data against a holder that went on too long; a
     * store that loses values may lose a lock too.
     *
     * @param int|float $seconds more than 0, a year at most
     * @param int|float $wait seconds to wait for it, 0 to try once; looked at every few milliseconds
     * @return Lock|null null when another has it
     * @throws NotSupported|InvalidKey|InvalidTtl
     */
    public function lock(string $key, int|float $seconds, int|float $wait = 0): ?Lock
    {
        return Lock::take(Capability::of($this->store, Locks::class), $key, $seconds, $wait);
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
        $store = Capability::of($this->store, Lists::class);

        return (static function () use ($store, $prefix): \Generator {
            foreach ($store->keys() as $key) {
                if (str_starts_with($key, $prefix) && !ReservedKey::is($key)) {
                    yield $key;
                }
            }
        })();
    }

    /** @param array<array-key, mixed> $stored of the form of Wrapped, or damaged: then a miss */
    private function unwrap(array $stored, mixed $default): mixed
    {
        $wrapped = $stored === $default ? null : Wrapped::of($stored);

        return $wrapped !== null && $wrapped->isFresh(microtime(true)) ? $wrapped->value : $default;
    }
}

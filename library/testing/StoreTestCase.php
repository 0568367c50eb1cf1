<?php

declare(strict_types=1);

namespace Larder\Testing;

use Larder\Cache;
use Larder\Contract\AtomicStore;
use Larder\Contract\Capability;
use Larder\Contract\Store;
use PHPUnit\Framework\ExpectationFailedException;
use PHPUnit\Framework\TestCase;

/**
 * The base of a store's test class. A subclass opens the store, and uses AllContracts or single contracts. It overrides
 * the methods below where the store differs, and the contracts check that the store does differ. The contracts fork, so
 * they need the extensions pcntl and posix.
 */
abstract class StoreTestCase extends TestCase
{
    use AssertsThrows;
    use Timing;

    protected const MISS = 'a miss';
    /** The number of processes of inProcesses(). */
    protected const PROCESSES = 4;

    /** Unique for each test. */
    protected string $namespace;
    protected Store $store;
    /** A cache over $store. */
    protected Cache $cache;

    /**
     * Opens the store with this namespace. If it is shared, a second call returns a store with the same values.
     *
     * @param string $namespace 1 to 32 of A-Z a-z 0-9 _ -
     */
    abstract protected function open(string $namespace): Store;

    /** False for a store that deliberately keeps nothing. */
    protected function keepsValues(): bool
    {
        return true;
    }

    /** False for a store whose values exist only in the object. */
    protected function isShared(): bool
    {
        return true;
    }

    /** False for a store that other machines may share: it cannot tell whether the owner of a lock is alive. */
    protected function isLocal(): bool
    {
        return true;
    }

    /**
     * False for a store without namespaces: clear() removes everything, and all stores that open() returns are the same
     * cache.
     */
    protected function hasNamespaces(): bool
    {
        return true;
    }

    /** @return list<Capability> what the store can do; by default everything except prune */
    protected function capabilities(): array
    {
        return \array_slice(Capability::cases(), 0, -1);
    }

    /** A value over the limit of the store; null when only memory or disk limits it. */
    protected function tooLarge(): ?string
    {
        return null;
    }

    /** A value over the limit of add(), which may be lower than that of set(). */
    protected function tooLargeToAdd(): ?string
    {
        return $this->tooLarge();
    }

    /** Bytes of the longest key that keys() lists. */
    protected function longestListed(): int
    {
        return 65_535;
    }

    /** Seconds until other processes see a clear(). */
    protected function clearDelay(): float
    {
        return 0.0;
    }

    /** Seconds until other processes see a change. */
    protected function changeDelay(): float
    {
        return 0.0;
    }

    /** True for a store that may apply a change and yet return false. */
    protected function mayApplyWhatItRefuses(): bool
    {
        return false;
    }

    /**
     * Number of values that the store may lose, of some hundreds, if several processes write at once. A lost value may
     * be a lease.
     */
    protected function expectedLosses(): int
    {
        return 0;
    }

    /** True if the store uses this key internally, and keys() of the store lists it. */
    protected function isInternalKey(string $key): bool
    {
        return false;
    }

    /** Stores data of another program next to the store's data, as similar to it as possible. */
    protected function plantNeighbour(): void {}

    protected function neighbourIsThere(): bool
    {
        return true;
    }

    protected function setUp(): void
    {
        $this->namespace = 'contract' . bin2hex(random_bytes(4));
        $this->store = $this->open($this->namespace);
        $this->cache = new Cache($this->store);
        if (!$this->hasNamespaces()) {
            $this->cache->clear();
        }
    }

    protected function tearDown(): void
    {
        $this->cache->clear();
    }

    /** The store, opened again as another process would open it; the same object if the store is not shared. */
    protected function reopened(): Store
    {
        return $this->isShared() ? $this->open($this->namespace) : $this->store;
    }

    /** A cache over reopened(), or the same cache if the store is not shared. */
    protected function reopenedCache(): Cache
    {
        return $this->isShared() ? new Cache($this->open($this->namespace)) : $this->cache;
    }

    /**
     * Runs $test if the store has the capability. Otherwise checks that the cache reports it as missing.
     *
     * @param \Closure(): void $test
     */
    protected function ifCan(Capability $capability, \Closure $test): void
    {
        if (\in_array($capability, $this->capabilities(), true)) {
            $test();
        } else {
            self::assertFalse($this->cache->can($capability));
        }
    }

    /**
     * Runs $test if processes share the store. Otherwise checks that they do not share it.
     *
     * @param \Closure(): void $test
     */
    protected function ifShared(\Closure $test, ?Capability $capability = null): void
    {
        if (!$this->isShared()) {
            $this->cache->set('k', 1);
            self::assertFalse($this->open($this->namespace)->has('k'), 'no other process has it');
        } elseif ($capability !== null) {
            $this->ifCan($capability, $test);
        } else {
            $test();
        }
    }

    /**
     * Runs $work in several processes at once. It receives a cache that its process opened, and the process's number.
     *
     * @template T
     * @param \Closure(Cache, int): T $work
     * @return list<T>
     */
    protected function inProcesses(\Closure $work): array
    {
        $forks = Fork::several(self::PROCESSES, function (int $process, \Closure $awaitOthers) use ($work): mixed {
            $cache = $this->reopenedCache();
            $awaitOthers();

            return $work($cache, $process);
        });
        $results = array_map(static function (Fork $fork): mixed {
            /** @var T $result */
            $result = $fork->result();

            return $result;
        }, $forks);
        usleep((int) (1e6 * $this->changeDelay()));

        return $results;
    }

    /**
     * Runs $work in another process, or in this one if the store is not shared. Then waits until this process sees the
     * changes.
     *
     * @param \Closure(Cache): mixed $work
     */
    protected function elsewhere(\Closure $work): mixed
    {
        $result = $this->isShared() ? Fork::run(fn(): mixed => $work($this->reopenedCache())) : $work($this->cache);
        usleep((int) (1e6 * max($this->changeDelay(), $this->clearDelay())));

        return $result;
    }

    /**
     * Checks each case of a data provider on one store, because opening hundreds of stores takes minutes. A failure
     * names its case.
     *
     * @param iterable<string, array<mixed>> $cases arguments of the check by the case's name
     */
    protected static function checkEach(iterable $cases, \Closure $check): void
    {
        foreach ($cases as $name => $arguments) {
            try {
                $check(...$arguments);
            } catch (ExpectationFailedException $failure) {
                self::fail("$name: {$failure->getMessage()}" . $failure->getComparisonFailure()?->getDiff());
            }
        }
    }

    /** @return list<string> short, long, of any bytes */
    protected static function sampleKeys(): array
    {
        return [
            'a key', "\0begins with NUL", str_repeat('long', 200), "any bytes \0 / ../ \xff",
            str_repeat('longest', 9362),
        ];
    }

    /** @param \Closure(mixed): bool $isExpected */
    protected function setIf(string $key, \Closure $isExpected, mixed $value, int|float $ttl = 0): bool
    {
        return Capability::of($this->store, AtomicStore::class)->setIf($key, $isExpected, $value, $ttl);
    }
}

<?php

declare(strict_types=1);

namespace Larder\Internal\Decorator\Tier;

use Larder\Contract\AtomicStore;
use Larder\Contract\Entry;
use Larder\Contract\ResettableStore;
use Larder\Contract\Store;
use Larder\Internal\Driver\Engine\EngineStore;
use Larder\Internal\Key\ReservedKey;
use Larder\Internal\Remember\StoredValue;
use Larder\Process\Pid;

/**
 * The local tier: copies of values of a shared tier, in a store that the processes of a host share. All names begin
 * with the identity of this shared tier, so several may have their copies in one store.
 *
 *     =key or #hash    [epoch, value, base, own]    a copy; an int while it is being made
 *     epoch            int                          copies of another epoch are invalid; raised to make all invalid
 *     seen             int                          the newest change of the shared tier that this host has looked at
 *     =                [epoch, seen]                the lease: copies may be served while it lasts; then the shared
 *                                                   tier is asked again. [null, epoch] since all were made invalid
 *     asking           1                            while one process asks, so the others need not
 *     generation N     int                          raised whenever a key of the Nth stripe is dropped
 *     settling         1                            during a clear, and for a moment after all were made invalid: no
 *                                                   copies are made
 *     listener         [process id, host]           the process of this host that listens for changes, while it lives
 *
 * base and own are the changes that a copy includes: all up to base, and that of its own write (0 for a copy of a read
 * value).
 *
 * A value that was read before a change must not be served as a copy after the change is known. So a process that makes
 * a copy remembers the key's version before it reads. It then puts a mark in the copy's place, compares the version,
 * and replaces the mark by the copy. A process that drops a key raises the version first and then removes what is
 * there. Either the raised version is seen, or the mark is gone, or the copy itself is removed. A process killed in
 * between leaves a mark, and marks are never served. If the local store loses a mark or a version, a copy becomes
 * invalid, never the reverse.
 *
 * Likewise a lease of an old epoch must not be granted after all copies were made invalid. A process that grants one
 * reads the lease, then the epoch, and replaces only the lease that it read. One that makes all invalid raises the
 * epoch, and then replaces the lease.
 *
 * The lease and the copies have the form of guard and values of larder_fetch_if(): one call of the engine tells whether
 * there is a copy and whether it may be served.
 */
final class LocalCopies
{
    private const STRIPES = 64;
    /** Prefix of a key that is not hashed. */
    private const DIRECT = '=';
    /** Bytes of the longest key that is not hashed. */
    private const LONGEST_PART = 250;
    /** Seconds after a clear() for which a process may still read old values: memcached's, twice. */
    private const SETTLING = 0.1;
    /** Seconds of a mark at most. */
    private const MARKED = 1.0;
    /** Numbers begin at random, so that a lost one does not come again. */
    private const HIGHEST_FIRST = \PHP_INT_MAX >> 2;

    /** The name of the lease, for larder_fetch_if(); null if the copies are not in the whole engine. */
    public readonly ?string $guard;

    private readonly string $names;
    private readonly string $leaseName;

    /** @param float $ttl seconds, the longest life of a copy */
    public function __construct(
        private readonly Store&AtomicStore $local,
        string $identity,
        private readonly float $ttl,
    ) {
        $this->names = ReservedKey::tier($identity);
        $this->leaseName = $this->names . self::DIRECT;
        $this->guard = $local instanceof EngineStore && $local->namespace === '' ? $this->leaseName : null;
    }

    /** The key, or its hash if it is long, as used in local names and in the shared tier's change log. */
    public static function part(string $key): string
    {
        return \strlen($key) <= self::LONGEST_PART ? self::DIRECT . $key : '#' . hash('sha256', $key, true);
    }

    /** @return array{int, int}|null epoch and newest change seen; null if the shared tier must be asked first */
    public function lease(): ?array
    {
        $lease = $this->local->get($this->leaseName);
        if (!\is_array($lease) || $lease[0] === null) {
            return null;
        }

        /** @var array{int, int} $lease */
        return $lease;
    }

    /** @return array{int, int} the same, also if the shared tier must be asked first */
    public function state(): array
    {
        return [$this->epoch(), $this->seen() ?? 0];
    }

    /** Lets all processes of the host serve copies, forever with 0.0 seconds. */
    public function grant(int $epoch, int $seen, float $seconds): void
    {
        $before = $this->local->get($this->leaseName);
        if ($this->epoch() !== $epoch) {
            return; // another process has just made all invalid
        }
        $isBefore = static fn(mixed $there): bool => $there === $before;
        $before === null
            ? $this->local->add($this->leaseName, [$epoch, $seen], $seconds)
            : $this->local->setIf($this->leaseName, $isBefore, [$epoch, $seen], $seconds);
    }

    public function withdraw(): void
    {
        $this->local->delete($this->leaseName);
    }

    /** @return bool true if this process is to ask the shared tier; false while another does, for $seconds at most */
    public function beginAsking(float $seconds): bool
    {
        return $this->local->add($this->names . 'asking', 1, $seconds);
    }

    public function endAsking(): void
    {
        $this->local->delete($this->names . 'asking');
    }

    public function epoch(): int
    {
        $epoch = $this->local->get($this->names . 'epoch');

        return \is_int($epoch) ? $epoch : $this->raise('epoch');
    }

    /** @return int|null null if it is not known */
    public function seen(): ?int
    {
        $seen = $this->local->get($this->names . 'seen');

        return \is_int($seen) ? $seen : null;
    }

    public function note(int $seen): void
    {
        $this->local->set($this->names . 'seen', $seen);
    }

    /** Called before the shared tier is cleared, in case the process is killed: no copies are made until voidAll(). */
    public function beginClearing(): void
    {
        $this->voidAll(null, $this->ttl);
    }

    /**
     * @param float $settling seconds in which no copies are made
     * @return int the new epoch: no copy from before is served, nor one that is being made
     */
    public function voidAll(?int $seen, float $settling = self::SETTLING): int
    {
        $this->local->set($this->names . 'settling', 1, $settling);
        $epoch = $this->raise('epoch');
        if ($seen !== null) {
            $this->note($seen);
        }
        $this->local->set($this->leaseName, [null, $epoch]);

        return $epoch;
    }

    /** Drops all copies if they belong to this process alone. Keeps what is known about changes in the shared tier. */
    public function reset(): void
    {
        if (!$this->local instanceof ResettableStore) {
            return;
        }
        $known = [$this->names . 'epoch' => $this->epoch(), $this->names . 'seen' => $this->seen()];
        $this->local->reset();
        $this->local->setMany(array_filter($known, is_int(...)));
    }

    /** @return mixed the value, found by one call of the engine; $miss if only lease() and find() can tell */
    public function served(string $key, mixed $miss): mixed
    {
        return $this->guard === null || $key === '' || \strlen($key) > self::LONGEST_PART
            ? $miss : \larder_fetch_if($key, $this->guard, $miss);
    }

    /** @return mixed the value, or $miss */
    public function find(string $key, int $epoch, mixed $miss): mixed
    {
        $copy = $key === '' ? null : $this->local->get($this->names . self::part($key)); // '' has the lease's name

        return \is_array($copy) && $copy[0] === $epoch ? $copy[1] : $miss;
    }

    /**
     * @param list<string> $keys
     * @return array<array-key, mixed> values by key, without misses
     */
    public function findMany(array $keys, int $epoch): array
    {
        $names = array_map(fn(string $key): string => $this->names . self::part($key), $keys);
        $copies = $this->local->getMany($names);
        $values = [];
        foreach ($keys as $i => $key) {
            $copy = $copies[$names[$i]];
            if (\is_array($copy) && $copy[0] === $epoch) {
                $values[$key] = $copy[1];
            }
        }

        return $values;
    }

    /** @return int|null the key's version before a value is read or written; null if no copy may be made of it */
    public function begin(string $key): ?int
    {
        return $this->local->has($this->names . 'settling') ? null : $this->version(self::part($key));
    }

    /**
     * Makes a copy of a read value.
     *
     * @param Entry<mixed> $entry as it was in the shared tier
     * @param array{int, int} $lease when it was read
     * @param int|null $version from begin(), before it was read
     */
    public function fill(string $key, Entry $entry, array $lease, ?int $version): void
    {
        $seconds = $this->seconds($entry);
        if ($version !== null && $seconds > 0.0) {
            $this->make(self::part($key), [$lease[0], $entry->stored, $lease[1], 0], $seconds, $version);
        }
    }

    /**
     * Replaces any copy by a written value.
     *
     * @param Entry<mixed> $entry
     * @param array{int, int} $lease before it was written
     * @param int|null $version from begin(), before it was written
     * @param int $own number of its change in the change log
     */
    public function put(string $key, Entry $entry, array $lease, ?int $version, int $own): void
    {
        $part = self::part($key);
        $seconds = $this->seconds($entry);
        // Copies of the old value that are just being made must not stay.
        $raised = $this->raise(self::stripe($part));
        if ($version === null || $raised !== $version + 1 || $seconds <= 0.0) {
            // another process has changed something, perhaps after this write
            $this->local->delete($this->names . $part);
        } else {
            $this->make($part, [$lease[0], $entry->stored, $lease[1], $own], $seconds, $raised);
        }
    }

    public function drop(string $key): void
    {
        $this->dropPart(self::part($key));
    }

    /** Drops the copy of a part(), unless it has the change of this number in it. */
    public function dropOlder(string $part, int $number): void
    {
        $copy = $this->local->get($this->names . $part);
        if (!\is_array($copy) || ($copy[2] < $number && $copy[3] !== $number)) {
            $this->dropPart($part);
        }
    }

    private function dropPart(string $part): void
    {
        $this->raise(self::stripe($part));
        $this->local->delete($this->names . $part);
    }

    private function version(string $part): int
    {
        $stripe = self::stripe($part);
        $version = $this->local->get($this->names . $stripe);

        return \is_int($version) ? $version : $this->raise($stripe);
    }

    /**
     * Puts a copy in the place of whatever is there, unless the key is dropped during that.
     *
     * @param array{int, mixed, int, int} $copy
     */
    private function make(string $part, array $copy, float $seconds, int $version): void
    {
        $name = $this->names . $part;
        $mark = random_int(0, \PHP_INT_MAX);
        $isMade = $this->local->set($name, $mark, self::MARKED) && $this->version($part) === $version
            && $this->local->setIf($name, static fn(mixed $there): bool => $there === $mark, $copy, $seconds);
        if (!$isMade) {
            $this->local->delete($name);
        }
    }

    /**
     * @param Entry<mixed> $entry
     * @return float seconds that a copy may live. If it outlived its freshness, it would hide another host's
     *         recomputation
     */
    private function seconds(Entry $entry): float
    {
        $freshUntil = StoredValue::is($entry->stored) ? StoredValue::of($entry->stored)?->freshUntil : null;
        $now = microtime(true);
        $ends = array_diff([$entry->until ?? 0.0, $freshUntil ?? 0.0], [0.0]);

        return min([$now + $this->ttl, ...$ends]) - $now;
    }

    private static function stripe(string $part): string
    {
        return 'generation ' . crc32($part) % self::STRIPES;
    }

    private function raise(string $what): int
    {
        $first = random_int(1, self::HIGHEST_FIRST);
        $raised = $this->local->increment($this->names . $what, 1, $first);

        return $raised === false ? -$first : $raised; // if the store refuses, a number that no other process has
    }

    /**
     * @param float $seconds after which this process counts as dead, unless it calls keepListening()
     * @return bool false if another process listens on this host
     */
    public function beginListening(float $seconds): bool
    {
        return $this->local->add($this->names . 'listener', self::here(), $seconds);
    }

    /** @return bool false if another process listens by now, as this one counted as dead */
    public function keepListening(float $seconds): bool
    {
        $name = $this->names . 'listener';

        return $this->local->get($name, self::here()) === self::here()
            && $this->local->set($name, self::here(), $seconds);
    }

    public function endListening(): void
    {
        if ($this->local->get($this->names . 'listener') === self::here()) {
            $this->local->delete($this->names . 'listener');
        }
    }

    /** @return string|null "process 123 on web1"; null if none listens on this host */
    public function listener(): ?string
    {
        $there = $this->local->get($this->names . 'listener');
        [$process, $host] = \is_array($there) ? $there + [null, null] : [null, null];

        return \is_int($process) && \is_string($host) ? \sprintf('process %d on %s', $process, $host) : null;
    }

    /** @return array{int, string} */
    private static function here(): array
    {
        try {
            return [Pid::own(), (string) gethostname()];
        } catch (\Error) {
            return [Pid::own(), 'this machine']; // the host disables the function
        }
    }
}

<?php

declare(strict_types=1);

namespace Larder\Decorator\Tier;

use Larder\Contract\AtomicStore;
use Larder\Contract\Entry;
use Larder\Contract\ResettableStore;
use Larder\Contract\Store;
use Larder\Driver\Engine\EngineStore;
use Larder\Key\ReservedKey;
use Larder\Remember\StoredValue;

/**
 * The local tier: copies of values of a shared tier, in a store that the processes of a host share. All names begin with
 * what tells this shared tier from others, so several may have their copies in one store.
 *
 *     =key or #hash    [epoch, value, base, own]    a copy; an int while it is being made
 *     epoch            int                          copies of another epoch are void: raised to make all void at once
 *     seen             int                          the newest change of the shared tier that was looked at here
 *     =                [epoch, seen]                the lease: copies may be served while it lasts; then the shared tier is
 *                                                   asked again. [null, epoch] since all was made void
 *     asking           1                            while one process asks, and the others need not
 *     generation N     int                          raised whenever a key of the Nth stripe is dropped
 *     settling         1                            while all is being cleared, and for a moment after all was made void: no
 *                                                   copies are made
 *
 * base and own tell which changes a copy has in it: all up to base, and that of the write it comes from (0 for a copy of
 * what was read).
 *
 * A copy of what was read before a change must not be served after the change was heard of. So who makes a copy remembers
 * the key's version before it reads, and then puts a mark in the copy's place, looks whether the version is still the same,
 * and puts the copy in the place of its mark; who drops a key raises the version first and then removes what is there. Either
 * the raised version is seen, or the mark is gone, or the copy itself is removed. Whoever is killed in between leaves a mark,
 * which nobody takes for a copy. What the local store loses of this makes copies void, never valid.
 *
 * The lease and the copies are what larder_fetch_if() takes for guard and values, so the engine finds with one call whether
 * there is a copy and whether it may be served.
 *
 * Likewise a lease of an old epoch must not be granted after all was made void: who grants one reads the lease, then the
 * epoch, and replaces just the lease that it read; who makes all void raises the epoch, and then replaces the lease.
 */
final class LocalCopies
{
    private const STRIPES = 64;
    /** What stands before a key that is not hashed. */
    private const DIRECT = '=';
    /** Bytes; longer keys are hashed. */
    private const LONGEST_PART = 250;
    /** Seconds after a clear() for which a process may still read what was there before: memcached's, twice. */
    private const SETTLING = 0.1;
    /** Seconds that a mark is there at most. */
    private const MARKED = 1.0;
    /** Numbers begin at random, so that one that was lost and began again is another. */
    private const HIGHEST_FIRST = \PHP_INT_MAX >> 2;

    /** The name of the lease, for larder_fetch_if(); null when the copies are not in the engine. */
    public readonly ?string $guard;

    private readonly string $names;
    private readonly string $leaseName;

    /**
     * @param string $identity of the shared tier
     * @param float $ttl seconds, the longest life of a copy
     */
    public function __construct(private readonly Store&AtomicStore $local, string $identity, private readonly float $ttl)
    {
        $this->names = ReservedKey::tier($identity);
        $this->leaseName = $this->names . self::DIRECT;
        $this->guard = $local instanceof EngineStore ? $this->leaseName : null;
    }

    /** What stands for a key in names, and in the shared tier's changes. */
    public static function part(string $key): string
    {
        return \strlen($key) <= self::LONGEST_PART ? self::DIRECT . $key : '#' . hash('sha256', $key, true);
    }

    /** @return array{int, int}|null epoch and newest change seen; null when the shared tier has to be asked first */
    public function lease(): ?array
    {
        $lease = $this->local->get($this->leaseName);
        if (!\is_array($lease) || $lease[0] === null) {
            return null;
        }

        /** @var array{int, int} $lease */
        return $lease;
    }

    /** @return array{int, int} the same, whether or not the shared tier has to be asked first */
    public function state(): array
    {
        return [$this->epoch(), $this->seen() ?? 0];
    }

    /**
     * Lets all processes of the host serve copies.
     *
     * @param float $seconds 0.0 forever
     */
    public function grant(int $epoch, int $seen, float $seconds): void
    {
        $before = $this->local->get($this->leaseName);
        if ($this->epoch() !== $epoch) {
            return; // somebody made all void meanwhile
        }
        $before === null
            ? $this->local->add($this->leaseName, [$epoch, $seen], $seconds)
            : $this->local->setIf($this->leaseName, static fn(mixed $there): bool => $there === $before, [$epoch, $seen], $seconds);
    }

    public function withdraw(): void
    {
        $this->local->delete($this->leaseName);
    }

    /** @return bool whether this process is to ask the shared tier; false while another does, for so many seconds at most */
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

    /** @return int|null null when it is not known */
    public function seen(): ?int
    {
        $seen = $this->local->get($this->names . 'seen');

        return \is_int($seen) ? $seen : null;
    }

    public function note(int $seen): void
    {
        $this->local->set($this->names . 'seen', $seen);
    }

    /**
     * Before the shared tier is cleared: a process that is killed after that must leave no copies, so there are none from
     * now on until voidAll(), or for as long as a copy lives.
     */
    public function beginClearing(): void
    {
        $this->voidAll(null, $this->ttl);
    }

    /**
     * No copy that was made before, or is just being made, is served any more.
     *
     * @param float $settling seconds for which none is made
     * @return int the new epoch
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

    /**
     * Drops all copies if they belong to this process alone. Keeps what is known about changes in the shared tier, to save
     * asking for it again.
     */
    public function reset(): void
    {
        if (!$this->local instanceof ResettableStore) {
            return;
        }
        $known = [$this->names . 'epoch' => $this->epoch(), $this->names . 'seen' => $this->seen()];
        $this->local->reset();
        $this->local->setMany(array_filter($known, is_int(...)));
    }

    /**
     * The short way of most gets: a copy in the engine, while the shared tier need not be asked.
     *
     * @return mixed the value; $miss for anything else, then lease() and find() tell
     */
    public function served(string $key, mixed $miss): mixed
    {
        if ($this->guard === null || $key === '') {
            return $miss;
        }

        return \strlen($key) <= self::LONGEST_PART ? \larder_fetch_if($key, $this->guard, $miss) : $miss;
    }

    /** @return mixed the value, or $miss */
    public function find(string $key, int $epoch, mixed $miss): mixed
    {
        $copy = $key === '' ? null : $this->local->get($this->names . self::part($key)); // that of no key is the lease's

        return \is_array($copy) && $copy[0] === $epoch ? $copy[1] : $miss;
    }

    /**
     * @param list<string> $keys
     * @return array<array-key, mixed> what was found, by key
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

    /** @return int|null the key's version before a value is read or written; null when no copy is to be made of it */
    public function begin(string $key): ?int
    {
        return $this->local->has($this->names . 'settling') ? null : $this->version(self::part($key));
    }

    /**
     * Makes a copy of what was read.
     *
     * @param Entry<mixed> $entry as it was in the shared tier
     * @param array{int, int} $lease when it was read
     * @param int|null $version as begin() gave it before it was read
     */
    public function fill(string $key, Entry $entry, array $lease, ?int $version): void
    {
        $seconds = $this->seconds($entry);
        if ($version !== null && $seconds > 0.0) {
            $this->make(self::part($key), [$lease[0], $entry->stored, $lease[1], 0], $seconds, $version);
        }
    }

    /**
     * Puts what was written in the place of any copy.
     *
     * @param Entry<mixed> $entry
     * @param array{int, int} $lease before it was written
     * @param int|null $version as begin() gave it before it was written
     * @param int $own the number of the change that was announced of it
     */
    public function put(string $key, Entry $entry, array $lease, ?int $version, int $own): void
    {
        $part = self::part($key);
        $seconds = $this->seconds($entry);
        // Copies that are just being made of what was there before must not stay.
        $raised = $this->raise(self::stripe($part));
        if ($version === null || $raised !== $version + 1 || $seconds <= 0.0) {
            $this->local->delete($this->names . $part); // another has changed something meanwhile, and may have been later
        } else {
            $this->make($part, [$lease[0], $entry->stored, $lease[1], $own], $seconds, $raised);
        }
    }

    public function drop(string $key): void
    {
        $this->dropPart(self::part($key));
    }

    /**
     * Drops the copy of what was changed, unless it has that change in it.
     *
     * @param string $part as by part()
     * @param int $number of the change
     */
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
     * Puts a copy in the place of whatever is there, unless the key is dropped meanwhile.
     *
     * @param array{int, mixed, int, int} $copy
     */
    private function make(string $part, array $copy, float $seconds, int $version): void
    {
        $name = $this->names . $part;
        $mark = random_int(0, \PHP_INT_MAX);
        $isMarked = $this->local->set($name, $mark, self::MARKED);
        if (!$isMarked || $this->version($part) !== $version || !$this->local->setIf($name, static fn(mixed $there): bool => $there === $mark, $copy, $seconds)) {
            $this->local->delete($name);
        }
    }

    /**
     * A copy must not outlive its freshness: it would hide that another host has recomputed the value.
     *
     * @param Entry<mixed> $entry
     * @return float seconds that a copy may live; 0.0 or less when it must not be made
     */
    private function seconds(Entry $entry): float
    {
        $ends = [$entry->until ?? 0.0, StoredValue::is($entry->stored) ? StoredValue::of($entry->stored)->freshUntil ?? 0.0 : 0.0];
        $seconds = $this->ttl;
        foreach ($ends as $end) {
            $seconds = $end === 0.0 ? $seconds : min($seconds, $end - microtime(true));
        }

        return $seconds;
    }

    private static function stripe(string $part): string
    {
        return 'generation ' . crc32($part) % self::STRIPES;
    }

    private function raise(string $what): int
    {
        $first = random_int(1, self::HIGHEST_FIRST);
        $raised = $this->local->increment($this->names . $what, 1, $first);

        return $raised === false ? -$first : $raised; // a store that refuses: a number that nobody else has
    }
}

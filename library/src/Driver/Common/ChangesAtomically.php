<?php

declare(strict_types=1);

namespace Larder\Driver\Common;

use Larder\Contract\Entry;
use Larder\Key\Key;
use Larder\Key\Ttl;

/**
 * What can be done by reading a value and writing another in its place, for stores where nothing comes between the two:
 * they hold a lock or a transaction meanwhile, or begin again when something did.
 *
 * @template T the form in which the store keeps values
 */
trait ChangesAtomically
{
    public function add(string $key, mixed $value, int|float $ttl = 0): bool
    {
        $new = new Entry($this->pack($key, $value), Ttl::until($ttl));

        return $this->change($key, static fn(?Entry $old): Entry|false => $old === null ? $new : false);
    }

    public function replace(string $key, mixed $value, int|float $ttl = 0): bool
    {
        $new = new Entry($this->pack($key, $value), Ttl::until($ttl));

        return $this->change($key, static fn(?Entry $old): Entry|false => $old === null ? false : $new);
    }

    public function touch(string $key, int|float $ttl): bool
    {
        $until = Ttl::until($ttl);

        return $this->change($key, static fn(?Entry $old): Entry|false => $old === null ? false : new Entry($old->stored, $until));
    }

    public function increment(string $key, int $step = 1, int $first = 0, int|float $ttl = 0): int|false
    {
        $until = Ttl::until($ttl);
        $sum = false;
        $changed = $this->change($key, function (?Entry $old) use ($key, $step, $first, $until, &$sum): Entry|false {
            $value = $old === null ? $first : $this->unpack($key, $old->stored);
            $sum = \is_int($value) ? $value + $step : false; // a float out of the range of int

            return \is_int($sum) ? new Entry($this->pack($key, $sum), $old === null ? $until : $old->until) : false;
        });

        return $changed && \is_int($sum) ? $sum : false;
    }

    public function swap(string $key, int $old, int $new): bool
    {
        return $this->change($key, fn(?Entry $there): Entry|false => $there !== null && $this->unpack($key, $there->stored) === $old
            ? new Entry($this->pack($key, $new), $there->until) : false);
    }

    /** @param \Closure(mixed): bool $isExpected */
    public function setIf(string $key, \Closure $isExpected, mixed $value, int|float $ttl = 0): bool
    {
        $new = new Entry($this->pack($key, $value), Ttl::until($ttl));

        return $this->change($key, function (?Entry $old) use ($key, $isExpected, $new): Entry|false {
            $there = $old === null ? $this : $this->unpack($key, $old->stored, $this);

            return $there !== $this && $isExpected($there) ? $new : false;
        });
    }

    /**
     * @param list<string> $keys
     * @return array<array-key, Entry<mixed>>
     */
    public function entries(array $keys): array
    {
        array_map(Key::check(...), $keys);
        $entries = [];
        foreach ($keys as $key) {
            $found = $this->found($key);
            $value = $found === null ? $this : $this->unpack($key, $found->stored, $this);
            if ($value !== $this) {
                $entries[$key] = new Entry($value, $found?->until);
            }
        }

        return $entries;
    }

    /**
     * What is there, by a change to nothing else; stores whose readers need no lock have a shorter way.
     *
     * @return Entry<T>|null
     */
    private function found(string $key): ?Entry
    {
        $found = null;
        $this->change($key, static function (?Entry $old) use (&$found): false {
            $found = $old;

            return false;
        });

        return $found;
    }

    /**
     * @param \Closure(Entry<T>|null): (Entry<T>|false|null) $change is given what is there, null for nothing; gives what
     *        is to be there, null for nothing, or false to leave all as it is. It may be called several times
     * @return bool whether that was done; false when it was not to be, or the store refused, and what was there stays
     */
    abstract private function change(string $key, \Closure $change): bool;

    /** @return T */
    abstract private function pack(string $key, mixed $value): mixed;

    /**
     * @param T $stored
     * @return mixed the default for what cannot be read
     */
    abstract private function unpack(string $key, mixed $stored, mixed $default = null): mixed;
}

<?php

declare(strict_types=1);

namespace Larder\Driver\Common;

use Larder\Contract\Entry;
use Larder\Key\Key;
use Larder\Key\Ttl;

/**
 * Atomic operations for stores that can read and replace a value without interruption: they hold a lock or a
 * transaction, or start over after a conflict.
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

        return $this->change($key, static fn(?Entry $old): Entry|false
            => $old === null ? false : new Entry($old->stored, $until));
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
        return $this->change($key, fn(?Entry $there): Entry|false
            => $there !== null && $this->unpack($key, $there->stored) === $old
                ? new Entry($this->pack($key, $new), $there->until)
                : false);
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
     * Stores whose readers need no lock override this with a cheaper read.
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
     * @param \Closure(Entry<T>|null): (Entry<T>|false|null) $change receives the existing entry or null, and returns
     *        the new one, null to delete it, or false to change nothing. It may be called several times
     * @return bool true if it was changed; false if nothing was to change, or the store refused and the entry stays
     */
    abstract private function change(string $key, \Closure $change): bool;

    /** @return T */
    abstract private function pack(string $key, mixed $value): mixed;

    /**
     * @param T $stored
     * @return mixed the default if it cannot be read
     */
    abstract private function unpack(string $key, mixed $stored, mixed $default = null): mixed;
}

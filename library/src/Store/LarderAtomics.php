<?php

declare(strict_types=1);

namespace Larder\Store;

use function larder_add;
use function larder_cas;
use function larder_delete;
use function larder_fetch;
use function larder_increment;
use function larder_replace;
use function larder_touch;

/**
 * What the engine does in one step, and locks made of it.
 *
 * The engine compares integers only, and deletes without comparing. So a lock is an integer: the time at which it falls,
 * by the clock that only goes forward, and a random part; 0 means released. Its entry outlives the lock by an hour, so
 * that it does not expire, and become somebody else's, in the moment between compare and delete.
 */
trait LarderAtomics
{
    private const LOCK_ENTRY_SECONDS = 3600;
    private const LOCK_RANDOM_BITS = 20;
    private const TRIES = 1000;

    public function add(string $key, mixed $value, int|float $ttl = 0): bool
    {
        return larder_add($this->name($key), $value, Ttl::seconds($ttl));
    }

    public function replace(string $key, mixed $value, int|float $ttl = 0): bool
    {
        return larder_replace($this->name($key), $value, Ttl::seconds($ttl));
    }

    public function touch(string $key, int|float $ttl): bool
    {
        return larder_touch($this->name($key), Ttl::seconds($ttl));
    }

    public function increment(string $key, int $step = 1, int $first = 0, int|float $ttl = 0): int|false
    {
        $name = $this->name($key);
        $seconds = Ttl::seconds($ttl);
        if ($first === 0) {
            return larder_increment($name, $step, $seconds);
        }
        for ($try = 0; $try < self::TRIES; ++$try) {
            $value = larder_fetch($name, $this);
            $sum = Counter::sum($value === $this ? $first : $value, $step);
            if ($sum === false) {
                return false;
            }
            if ($value === $this ? larder_add($name, $sum, $seconds) : \is_int($value) && larder_cas($name, $value, $sum)) {
                return $sum;
            }
        } // else another was first

        return false;
    }

    public function swap(string $key, int $old, int $new): bool
    {
        return larder_cas($this->name($key), $old, $new);
    }

    public function acquire(string $key, float $seconds): ?string
    {
        $name = $this->name(ReservedKey::lock($key));
        $entrySeconds = $seconds + self::LOCK_ENTRY_SECONDS;
        $now = self::milliseconds();
        $lock = ($now + (int) ceil(1000 * $seconds)) << self::LOCK_RANDOM_BITS | random_int(0, (1 << self::LOCK_RANDOM_BITS) - 1);
        if (larder_add($name, $lock, $entrySeconds)) {
            return (string) $lock;
        }
        $held = larder_fetch($name);
        if (!\is_int($held) || $held >> self::LOCK_RANDOM_BITS > $now || !larder_cas($name, $held, $lock)) {
            return null;
        }

        return larder_touch($name, $entrySeconds) && larder_fetch($name) === $lock ? (string) $lock : null;
    }

    public function release(string $key, string $token): bool
    {
        $name = $this->name(ReservedKey::lock($key));
        $lock = (int) $token;
        if (!larder_cas($name, $lock, 0)) {
            return false;
        }
        larder_delete($name);

        return $lock >> self::LOCK_RANDOM_BITS > self::milliseconds();
    }

    /** The key in the segment, checked. */
    abstract private function name(string $key): string;

    private static function milliseconds(): int
    {
        return intdiv((int) hrtime(true), 1_000_000);
    }
}

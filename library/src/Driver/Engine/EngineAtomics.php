<?php

declare(strict_types=1);

namespace Larder\Driver\Engine;

use Larder\Contract\Entry;
use Larder\Key\Ttl;
use Larder\Lock\LocksBySwapping;

/** What both stores of the engine do in one step, and until when it keeps a value. */
trait EngineAtomics
{
    use LocksBySwapping;

    private const TRIES = 1000;

    public function add(string $key, mixed $value, int|float $ttl = 0): bool
    {
        return \larder_add($this->name($key), $value, Ttl::seconds($ttl));
    }

    public function replace(string $key, mixed $value, int|float $ttl = 0): bool
    {
        return \larder_replace($this->name($key), $value, Ttl::seconds($ttl));
    }

    public function touch(string $key, int|float $ttl): bool
    {
        return \larder_touch($this->name($key), Ttl::seconds($ttl));
    }

    public function increment(string $key, int $step = 1, int $first = 0, int|float $ttl = 0): int|false
    {
        $name = $this->name($key);
        $seconds = Ttl::seconds($ttl);
        if ($first === 0) {
            return \larder_increment($name, $step, $seconds);
        }
        for ($try = 0; $try < self::TRIES; ++$try) {
            $value = \larder_fetch($name, $this);
            $old = $value === $this ? $first : $value;
            $sum = \is_int($old) ? $old + $step : false;
            if (!\is_int($old) || !\is_int($sum)) {
                return false; // or a float, out of the range of int
            }
            if ($value === $this ? \larder_add($name, $sum, $seconds) : \larder_cas($name, $old, $sum)) {
                return $sum;
            }
            if (\larder_last_error() !== \LARDER_ERROR_NONE) {
                return false;
            }
        } // else another was first

        return false;
    }

    public function swap(string $key, int $old, int $new): bool
    {
        return \larder_cas($this->name($key), $old, $new);
    }

    public function setIf(string $key, \Closure $isExpected, mixed $value, int|float $ttl = 0): bool
    {
        $name = $this->name($key);
        $seconds = Ttl::seconds($ttl);
        for ($try = 0; $try < self::TRIES; ++$try) {
            $there = \larder_fetch_cas($name, $this, $token);
            if ($there === $this || $token === null || !$isExpected($there)) {
                return false;
            }
            if (\larder_store_cas($name, $value, $token, $seconds)) {
                return true;
            }
            if (\larder_last_error() !== \LARDER_ERROR_NONE) {
                return false;
            }
        } // else another was first, or the engine has carried it elsewhere

        return false;
    }

    public function entries(array $keys): array
    {
        $entries = [];
        foreach ($keys as $key) {
            $name = $this->name($key);
            $before = \larder_key_info($name);
            $value = $before === null ? $this : \larder_fetch($name, $this);
            if ($value !== $this) {
                $entries[$key] = new Entry($value, self::until($before, \larder_key_info($name)));
            }
        }

        return $entries;
    }

    /** The key in the segment, checked. */
    abstract private function name(string $key): string;

    private function readRaw(string $name): mixed
    {
        return \larder_fetch($name);
    }

    private function addRaw(string $name, int|string $value, float $seconds): bool
    {
        return \larder_add($name, $value, $seconds);
    }

    private function swapRaw(string $name, int $old, int $new): bool
    {
        return \larder_cas($name, $old, $new);
    }

    private function keepRaw(string $name, int $value, float $seconds): bool
    {
        return \larder_touch($name, $seconds);
    }

    private function removeRaw(string $name): void
    {
        \larder_delete($name);
    }

    /**
     * It is not told with the value. Where another is stored between the questions the earlier time holds: it is never
     * later than the value's own.
     *
     * @param mixed[]|null ...$infos
     */
    private static function until(?array ...$infos): float
    {
        $ttls = array_filter(array_map(static fn(?array $info): mixed => $info['ttl'] ?? 0.0, $infos), static fn(mixed $ttl): bool => \is_float($ttl) && $ttl > 0.0);

        return $ttls === [] ? 0.0 : microtime(true) + min($ttls);
    }
}

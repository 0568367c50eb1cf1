<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\Engine;

use Larder\Contract\AtomicStore;
use Larder\Contract\Entry;
use Larder\Contract\EvictingStore;
use Larder\Contract\ExpiryAwareStore;
use Larder\Contract\ListableStore;
use Larder\Contract\LockingStore;
use Larder\Contract\Store;
use Larder\Exception\InvalidKey;
use Larder\Exception\InvalidTtl;
use Larder\Exception\StoreUnavailable;
use Larder\Internal\Key\NamespaceName;
use Larder\Key\Key;
use Larder\Key\Ttl;
use Larder\Lock\LocksByChanging;
use LarderIterator;

/**
 * The engine (extension larder): memory shared by all processes of one user, of FPM and of the command line.
 *
 * Without a namespace, keys go unchanged to the engine, which checks them itself: it uses PHP's own hash, which is
 * ready in the string. Then clear() empties the segment. In a namespace, a random version is put before every key (see
 * Engine): clear() sets a new one, and old values are evicted in time.
 */
final class EngineStore implements Store, AtomicStore, LockingStore, ListableStore, ExpiryAwareStore, EvictingStore
{
    /** @use LocksByChanging<mixed> */
    use LocksByChanging;

    private const TRIES = 1000;
    /** Seconds of the shortest ttl. An entry that has no more left may be what Cache::pull() leaves. */
    public const SHORTEST = 0.001;

    /** Name of the namespace's version; "" without a namespace. */
    public readonly string $namespace;

    /**
     * @param string $segment name that the engine's must have; "" for any
     * @param string|null $namespace null for the whole segment
     * @param string $scheme of a DSN with namespaces apart from those of larder:; "" for these
     * @throws StoreUnavailable
     */
    public function __construct(string $segment = '', ?string $namespace = null, string $scheme = '')
    {
        if ($namespace !== null) {
            NamespaceName::check($namespace);
        }
        Engine::check($segment);
        $before = Engine::NAMESPACE_VERSION . ($scheme === '' ? '' : $scheme . ':'); // no namespace has a colon
        $this->namespace = $namespace === null ? '' : $before . $namespace;
    }

    public function get(string $key, mixed $default = null): mixed
    {
        if ($this->namespace !== '') {
            $key = $this->name($key);
        }

        try {
            return \larder_fetch($key, $default);
        } catch (\ValueError $error) {
            throw self::known($error, [$key]);
        }
    }

    public function getMany(array $keys, mixed $default = null): array
    {
        $names = $this->namespace === '' ? $keys : $this->names($keys);

        try {
            $found = \larder_fetch_multiple($names, $default);
        } catch (\ValueError $error) {
            throw self::known($error, $keys);
        }
        if ($names === $keys) {
            return $found;
        }
        $values = [];
        foreach ($keys as $i => $key) {
            $values[$key] = $found[$names[$i]];
        }

        return $values;
    }

    public function has(string $key): bool
    {
        return \larder_exists($this->name($key));
    }

    public function set(string $key, mixed $value, int|float $ttl = 0): bool
    {
        if ($this->namespace !== '') {
            $key = $this->name($key);
        }

        try {
            return \larder_store($key, $value, $ttl);
        } catch (\ValueError $error) {
            throw self::known($error, [$key], $ttl);
        }
    }

    public function setMany(array $values, int|float $ttl = 0): bool
    {
        $names = $this->names(Key::of($values));

        return \larder_store_multiple(array_combine($names, $values), Ttl::seconds($ttl)) === [];
    }

    public function delete(string $key): bool
    {
        \larder_delete($this->name($key));

        return true;
    }

    public function deleteMany(array $keys): bool
    {
        \larder_delete_multiple($this->names($keys));

        return true;
    }

    public function evicts(): bool
    {
        return true;
    }

    public function clear(): bool
    {
        Segments::warnWhoClears();

        return $this->namespace === '' ? \larder_clear() : \larder_store($this->namespace, self::newVersion());
    }

    /**
     * All keys of the segment as stored. In a namespace, keys of more than 65,522 bytes are missing, as only their hash
     * is known.
     */
    public function keys(): iterable
    {
        $prefix = $this->namespace === '' ? '' : Engine::name($this->version(), '');
        foreach ($prefix === '' ? [''] : [$prefix, "\0$prefix"] as $each) { // see Engine::name()
            foreach (new LarderIterator($each) as $name => $info) {
                if (($info['ttl'] ?? 0.0) === 0.0 || $info['ttl'] > self::SHORTEST) {
                    yield substr($name, \strlen($each));
                }
            }
        }
    }

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
        $new = new Entry($value, Ttl::until($ttl));

        return $this->change($key, static function (?Entry $old) use ($isExpected, $new): Entry|false {
            return $old !== null && $isExpected($old->stored) ? $new : false;
        });
    }

    public function entries(array $keys): array
    {
        $entries = [];
        foreach ($keys as $key) {
            $found = \larder_fetch_entry($this->name($key));
            $ttl = $found['ttl'] ?? null;
            if ($found !== null && \is_float($ttl) && $ttl >= 0.0) {
                $entries[$key] = new Entry($found['value'], $ttl === 0.0 ? 0.0 : microtime(true) + $ttl);
            }
        }

        return $entries;
    }

    /** The key in the segment, checked. */
    public function name(string $key): string
    {
        Key::check($key);

        return $this->namespace === '' ? $key : Engine::name($this->version(), $key);
    }

    /**
     * @param list<string> $keys
     * @return list<string>
     */
    private function names(array $keys): array
    {
        array_map(Key::check(...), $keys);
        if ($this->namespace === '') {
            return $keys;
        }
        $version = $this->version();

        return array_map(static fn(string $key): string => Engine::name($version, $key), $keys);
    }

    /** If the engine refuses one (no memory, no cache here), values stored under this one are not found again. */
    private function version(): string
    {
        $version = \larder_fetch($this->namespace);
        if (!\is_string($version)) {
            $version = self::newVersion();
            if (!\larder_add($this->namespace, $version)) {
                $stored = \larder_fetch($this->namespace);
                $version = \is_string($stored) ? $stored : $version;
            }
        }

        return $version;
    }

    /** Begins with no NUL byte, see Engine::name(). */
    private static function newVersion(): string
    {
        return \chr(random_int(1, 255)) . random_bytes(Engine::VERSION_BYTES - 1);
    }

    /** @param \Closure(Entry<mixed>|null): (Entry<mixed>|false|null) $change */
    private function change(string $key, \Closure $change): bool
    {
        $name = $this->name($key);
        for ($try = 0; $try < self::TRIES; ++$try) {
            $there = \larder_fetch_cas($name, $this, $token);
            $isThere = $there !== $this && \is_int($token);
            $new = $change($isThere ? new Entry($there, null) : null);
            if ($new === false) {
                return false;
            }
            $until = $new === null ? self::SHORTEST : $new->until ?? 0.0; // what expires at once is deleted
            $seconds = $until > 0.0 ? max(self::SHORTEST, $until - microtime(true)) : 0.0;
            $value = $new?->stored;
            if ($isThere ? \larder_store_cas($name, $value, $token, $seconds) : \larder_add($name, $value, $seconds)) {
                return true;
            }
            if (\larder_last_error() !== \LARDER_ERROR_NONE) {
                return false;
            }
        } // else another was first, or the engine has moved it

        return false;
    }

    private function pack(string $key, mixed $value): mixed
    {
        return $value;
    }

    private function unpack(string $key, mixed $stored): mixed
    {
        return $stored;
    }

    /**
     * The engine's exception for a key or a ttl as Larder's; others, such as those of a value's own code, unchanged.
     *
     * @param list<string> $keys
     */
    private static function known(\ValueError $error, array $keys, int|float $ttl = 0): \ValueError
    {
        try {
            array_map(Key::check(...), $keys);
            Ttl::seconds($ttl);
        } catch (InvalidKey|InvalidTtl $known) {
            return $known;
        }

        return $error;
    }
}

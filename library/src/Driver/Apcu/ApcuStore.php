<?php

declare(strict_types=1);

namespace Larder\Driver\Apcu;

use APCUIterator;
use Larder\Codec\Failure;
use Larder\Codec\Failures;
use Larder\Codec\MissingClass;
use Larder\Codec\ReadsObjects;
use Larder\Codec\Serialized;
use Larder\Codec\Unreadable;
use Larder\Contract\AtomicStore;
use Larder\Contract\Entry;
use Larder\Contract\EvictingStore;
use Larder\Contract\ExpiryAwareStore;
use Larder\Contract\ListableStore;
use Larder\Contract\LockingStore;
use Larder\Contract\Store;
use Larder\Driver\Common\ChangesAtomically;
use Larder\Driver\Common\OneByOne;
use Larder\Exception\StoreUnavailable;
use Larder\Key\Key;
use Larder\Key\NamespaceName;
use Larder\Key\Ttl;
use Larder\Lock\LocksBySwapping;

/**
 * APCu: shared by the workers of one FPM master; a command line process has a memory of its own.
 *
 * Values are kept in APCu's own way (apc.serializer), which makes objects again inside apcu_fetch(): what cannot be made
 * again is a miss, and counted. APCu counts lifetimes in whole seconds, so a value with a ttl is wrapped together with its
 * exact time of expiry. clear() looks at every key that APCu holds.
 *
 * What reads and writes in one step holds APCu's own lock meanwhile, some microseconds, so it is one step for set() too.
 * As with any store into APCu, a process that is killed just then leaves APCu locked. Locks need no such step. The functions
 * of Larder's module apcu hold no such lock, so ApcuDriver opens another store there.
 */
final class ApcuStore implements Store, ReadsObjects, AtomicStore, LockingStore, ListableStore, ExpiryAwareStore, EvictingStore
{
    /** @use ChangesAtomically<mixed> */
    use ChangesAtomically;
    use LocksBySwapping;
    use OneByOne {
        getMany as private oneByOne;
    }

    /** Stands first in an array that wraps a value. */
    private const WRAP = "\0larder";

    /** Seconds. APCu takes more of them, and has 32 bits for them. */
    private const LONGEST = 0x7fffffff;

    private readonly Failures $failures;

    private readonly string $prefix;

    /**
     * @param Failures $failures counts the stored values that could not be read
     * @throws StoreUnavailable
     */
    public function __construct(string $namespace = 'larder', Failures $failures = new Failures())
    {
        $this->failures = $failures;
        NamespaceName::check($namespace);
        StoreUnavailable::unlessLoaded('apcu', 'apcu', 'apcu');
        if (self::isLarders()) {
            throw StoreUnavailable::because('apcu', 'the module apcu is Larder\'s, through which this class is not atomic', 'Open the DSN apcu:, which takes the engine\'s own store');
        }
        self::checkEnabled();
        $this->prefix = $namespace . ':';
        MissingClass::watch();
    }

    /** Whether apcu_*() are the functions of Larder's module over the engine, not those of APCu. */
    public static function isLarders(): bool
    {
        return \extension_loaded('apcu') && \array_key_exists('larder', (new \ReflectionExtension('apcu'))->getDependencies());
    }

    /** @throws StoreUnavailable */
    public static function checkEnabled(): void
    {
        if (!apcu_enabled()) {
            throw StoreUnavailable::because('apcu', 'APCu is loaded but switched off', \PHP_SAPI === 'cli'
                ? 'On the command line it is on with: php -d apc.enable_cli=1' : 'Set apc.enabled=1 in php.ini');
        }
    }

    public function get(string $key, mixed $default = null): mixed
    {
        // as name() does: it is called for every value
        $name = $key === '' || \strlen($key) > Key::MAX_LENGTH ? $this->name($key) : $this->prefix . $key;

        try {
            $value = @\apcu_fetch($name, $found);
        } catch (\Throwable $error) {
            return $this->unreadable($error, $default);
        }
        if ($found !== true) {
            return \error_get_last() === null ? $default : $this->missed($name, $default);
        }

        return \is_array($value) && isset($value[0]) && $value[0] === self::WRAP ? self::unwrap($value, $default) : $value;
    }

    public function getMany(array $keys, mixed $default = null): array
    {
        $names = array_map($this->name(...), $keys);

        try {
            /** @var array<string, mixed> $found */
            $found = @\apcu_fetch($names);
        } catch (\Throwable) {
            return $this->oneByOne($keys, $default); // one cannot be read, and PHP does not say which
        }
        $values = [];
        foreach ($keys as $i => $key) {
            $name = $names[$i];
            $values[$key] = \array_key_exists($name, $found) ? self::unwrap($found[$name], $default) : $this->missed($name, $default);
        }

        return $values;
    }

    public function has(string $key): bool
    {
        return \apcu_exists($this->name($key)) && $this->get($key, $this) !== $this;
    }

    public function set(string $key, mixed $value, int|float $ttl = 0): bool
    {
        $name = $this->name($key);
        if (\apcu_store($name, self::wrap($value, Ttl::until($ttl)), self::wholeSeconds($ttl))) {
            return true;
        }
        \apcu_delete($name);

        return false;
    }

    public function setMany(array $values, int|float $ttl = 0): bool
    {
        $until = Ttl::until($ttl);
        $wrapped = [];
        foreach (Key::of($values) as $key) {
            $wrapped[$this->prefix . $key] = self::wrap($values[$key], $until);
        }
        $refused = \apcu_store($wrapped, null, self::wholeSeconds($ttl));
        foreach (array_keys($refused) as $name) {
            \apcu_delete($name);
        }

        return $refused === [];
    }

    public function delete(string $key): bool
    {
        \apcu_delete($this->name($key));

        return true;
    }

    public function deleteMany(array $keys): bool
    {
        \apcu_delete(array_map($this->name(...), $keys));

        return true;
    }

    public function evicts(): bool
    {
        return true;
    }

    public function clear(): bool
    {
        return \apcu_delete(new APCUIterator('/^' . preg_quote($this->prefix, '/') . '/', \APC_ITER_KEY)) !== false;
    }

    public function keys(): iterable
    {
        $iterator = new APCUIterator('/^' . preg_quote($this->prefix, '/') . '/', \APC_ITER_KEY);
        foreach ($iterator as $entry) {
            $name = \is_array($entry) ? $entry['key'] ?? null : null;
            $key = \is_string($name) ? substr($name, \strlen($this->prefix)) : '';
            if ($key !== '' && $this->has($key)) {
                yield $key;
            }
        }
    }

    private function change(string $key, \Closure $change): bool
    {
        $name = $this->name($key);
        // A name that nobody else has: APCu holds its lock while it asks for the value of one that it does not have.
        $section = "\0larder-section:" . random_bytes(16);

        try {
            return \apcu_entry($section, fn(): bool => $this->changeLocked($name, $change), 1) === true;
        } finally {
            \apcu_delete($section);
        }
    }

    /** @param \Closure(Entry<mixed>|null): (Entry<mixed>|false|null) $change */
    private function changeLocked(string $name, \Closure $change): bool
    {
        try {
            $stored = @\apcu_fetch($name, $found);
            $value = $found === true ? self::unwrap($stored, $this) : $this;
        } catch (\Throwable $error) {
            $stored = null;
            $value = $this->unreadable($error, $this);
        }
        $until = self::hasExpiry($stored) ? $stored[1] : 0.0;
        $new = $change($value === $this ? null : new Entry($value, $until));
        if ($new === false) {
            return false;
        }
        if ($new === null) {
            return \apcu_delete($name);
        }
        $until = $new->until ?? $until;

        return \apcu_store($name, self::wrap($new->stored, $until), $until === 0.0 ? 0 : self::wholeSeconds(max(1.0, $until - microtime(true))));
    }

    private function pack(string $key, mixed $value): mixed
    {
        return $value;
    }

    private function unpack(string $key, mixed $stored, mixed $default = null): mixed
    {
        return $stored;
    }

    private function readRaw(string $name): mixed
    {
        $value = \apcu_fetch($name, $found);

        return $found === true ? $value : null;
    }

    private function addRaw(string $name, int|string $value, float $seconds): bool
    {
        return \apcu_add($name, $value, (int) ceil($seconds));
    }

    private function swapRaw(string $name, int $old, int $new): bool
    {
        return \apcu_cas($name, $old, $new);
    }

    private function keepRaw(string $name, int $value, float $seconds): bool
    {
        return \apcu_store($name, $value, (int) ceil($seconds));
    }

    private function removeRaw(string $name): void
    {
        \apcu_delete($name);
    }

    /**
     * What the serializer refuses by a warning alone, such as a case that its enum has lost, looks like a miss. Only after a
     * warning is it worth asking.
     */
    private function missed(string $name, mixed $default): mixed
    {
        if (\error_get_last() !== null && \apcu_exists($name)) {
            $this->failures->add(Failure::Damaged);
        }

        return $default;
    }

    private function name(string $key): string
    {
        Key::check($key);

        return $this->prefix . $key;
    }

    /** APCu may keep a value a little longer than told, never shorter: the exact time of expiry is beside the value. */
    private static function wholeSeconds(int|float $ttl): int
    {
        $seconds = (int) ceil(Ttl::seconds($ttl));

        return $seconds <= self::LONGEST ? $seconds : 0;
    }

    private static function wrap(mixed $value, float $until): mixed
    {
        if ($value !== null && !\is_scalar($value) && !\is_array($value) && !\is_object($value)) {
            throw Serialized::refusedResource();
        }

        return $until > 0.0 || self::hasExpiry($value) ? [self::WRAP, $until, $value] : $value;
    }

    private static function unwrap(mixed $value, mixed $default): mixed
    {
        if (!self::hasExpiry($value)) {
            return $value;
        }

        return $value[1] === 0.0 || $value[1] > microtime(true) ? $value[2] : $default;
    }

    /** @phpstan-assert-if-true array{mixed, float, mixed} $value */
    private static function hasExpiry(mixed $value): bool
    {
        return \is_array($value) && ($value[0] ?? null) === self::WRAP;
    }

    /** @param \Throwable $error of MissingClass, or of a class that refuses its data */
    private function unreadable(\Throwable $error, mixed $default): mixed
    {
        $this->failures->add($error instanceof Unreadable ? $error->failure : Failure::Refused);

        return $default;
    }
}

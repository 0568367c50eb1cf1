<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\Apcu;

use APCUIterator;
use Larder\Codec\Failure;
use Larder\Codec\Failures;
use Larder\Contract\AtomicStore;
use Larder\Contract\Entry;
use Larder\Contract\EvictingStore;
use Larder\Contract\ExpiryAwareStore;
use Larder\Contract\ListableStore;
use Larder\Contract\LockingStore;
use Larder\Contract\Store;
use Larder\Driver\Common\ChangesAtomically;
use Larder\Driver\Common\LoopedBatch;
use Larder\Exception\StoreUnavailable;
use Larder\Internal\Codec\MissingClass;
use Larder\Internal\Codec\Serialized;
use Larder\Internal\Codec\Unreadable;
use Larder\Internal\Key\NamespaceName;
use Larder\Key\Key;
use Larder\Key\Ttl;
use Larder\Lock\LocksByChanging;

/**
 * APCu: shared by the workers of one FPM master; a command line process has a memory of its own.
 *
 * APCu serializes values (apc.serializer). An object that apcu_fetch() cannot unserialize is a miss, and counted. APCu
 * counts lifetimes in whole seconds, so a value with a ttl is wrapped together with its exact expiry. clear() looks at
 * every key in APCu.
 *
 * A read-modify-write holds APCu's lock for some microseconds, so no set() comes between its read and its write. As
 * with any store into APCu, a process killed just then leaves APCu locked. Larder's module apcu has no such lock, so
 * ApcuDriver opens another store for it.
 */
final class ApcuStore implements Store, AtomicStore, LockingStore, ListableStore, ExpiryAwareStore, EvictingStore
{
    /** @use ChangesAtomically<mixed> */
    use ChangesAtomically;
    /** @use LocksByChanging<mixed> */
    use LocksByChanging;
    use LoopedBatch {
        getMany as private oneByOne;
    }

    /** Seconds. APCu accepts more, and keeps 32 bits. */
    private const LONGEST = 0x7fffffff;

    private readonly string $prefix;

    /**
     * @param Failures $failures counts stored values that could not be read
     * @throws StoreUnavailable
     */
    public function __construct(string $namespace = 'larder', private readonly Failures $failures = new Failures())
    {
        NamespaceName::check($namespace);
        if (!Apcu::isLoaded()) { // the exception and its parents are loaded for this call alone
            StoreUnavailable::unlessLoaded('apcu', 'apcu', 'apcu');
        }
        if (Apcu::isLarders()) {
            throw StoreUnavailable::because(
                'apcu',
                "the module apcu is Larder's, through which this class is not atomic",
                "Open the DSN apcu:, which takes the engine's own store",
            );
        }
        Apcu::checkEnabled();
        $this->prefix = NamespaceName::prefix($namespace);
        MissingClass::watch();
    }

    public function get(string $key, mixed $default = null): mixed
    {
        $value = Apcu::fetch($this->prefix, $key, $default, $this);
        if ($value !== $this) {
            return $value;
        }
        $name = $this->name($key);

        try {
            $value = @\apcu_fetch($name, $found);
        } catch (\Throwable $error) {
            return $this->unreadable($error, $default);
        }

        return $found === true ? Apcu::unwrap($value, $default) : $this->missed($name, $default);
    }

    public function getMany(array $keys, mixed $default = null): array
    {
        $names = array_map($this->name(...), $keys);

        try {
            /** @var array<string, mixed> $found */
            $found = @\apcu_fetch($names);
        } catch (\Throwable) {
            return $this->oneByOne($keys, $default); // PHP does not report which one cannot be read
        }
        $values = [];
        foreach ($keys as $i => $key) {
            $name = $names[$i];
            $values[$key] = \array_key_exists($name, $found)
                ? Apcu::unwrap($found[$name], $default)
                : $this->missed($name, $default);
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
        // A unique name: APCu holds its lock while it asks for the value of a missing one.
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
            $value = $found === true ? Apcu::unwrap($stored, $this) : $this;
        } catch (\Throwable $error) {
            $stored = null;
            $value = $this->unreadable($error, $this);
        }
        $until = Apcu::isEnvelope($stored) ? $stored[1] : 0.0;
        $new = $change($value === $this ? null : new Entry($value, $until));
        if ($new === false) {
            return false;
        }
        if ($new === null) {
            return \apcu_delete($name);
        }
        $until = $new->until ?? $until;
        $seconds = $until === 0.0 ? 0 : self::wholeSeconds(max(1.0, $until - microtime(true)));

        return \apcu_store($name, self::wrap($new->stored, $until), $seconds);
    }

    private function pack(string $key, mixed $value): mixed
    {
        return $value;
    }

    private function unpack(string $key, mixed $stored, mixed $default = null): mixed
    {
        return $stored;
    }

    /**
     * A value that the serializer refuses with a mere warning, such as a case that its enum has lost, looks like a
     * miss. Without a warning, APCu is not asked.
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

    /** APCu may keep a value longer, never shorter: the exact expiry is stored with the value. */
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

        return $until > 0.0 || Apcu::isEnvelope($value) ? [Apcu::WRAP, $until, $value] : $value;
    }

    /** @param \Throwable $error of MissingClass, or of a class that refuses its data */
    private function unreadable(\Throwable $error, mixed $default): mixed
    {
        $this->failures->add($error instanceof Unreadable ? $error->failure : Failure::Refused);

        return $default;
    }
}

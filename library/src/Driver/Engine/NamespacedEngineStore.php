<?php

declare(strict_types=1);

namespace Larder\Driver\Engine;

use Larder\Contract\AtomicStore;
use Larder\Contract\EvictingStore;
use Larder\Contract\ExpiryAwareStore;
use Larder\Contract\ListableStore;
use Larder\Contract\LockingStore;
use Larder\Contract\Store;
use Larder\Exception\StoreUnavailable;
use Larder\Key\Key;
use Larder\Key\NamespaceName;
use Larder\Key\Ttl;
use LarderIterator;

/**
 * One of several caches in the engine's segment. A random version stands before every key: clear() sets a new one, and
 * what that leaves behind is evicted in its turn. A key too long to have it before itself is replaced by its SHA-256.
 */
final class NamespacedEngineStore implements Store, AtomicStore, LockingStore, ListableStore, ExpiryAwareStore, EvictingStore
{
    use EngineAtomics;

    private const VERSION_BYTES = 12;

    private readonly string $versionName;

    /**
     * @param string $segment the engine's must have this name; "" for whichever it has
     * @param string $scheme of a DSN whose namespaces are apart from those of larder:; "" for these
     * @throws StoreUnavailable
     */
    public function __construct(string $namespace, string $segment = '', string $scheme = '')
    {
        NamespaceName::check($namespace);
        EngineStore::checkEngine($segment);
        // No namespace has a colon.
        $this->versionName = "\0larder-generation:" . ($scheme === '' ? '' : $scheme . ':') . $namespace;
    }

    public function get(string $key, mixed $default = null): mixed
    {
        return \larder_fetch($this->name($key), $default);
    }

    public function getMany(array $keys, mixed $default = null): array
    {
        $version = $this->version();
        $names = array_map(fn(string $key): string => $this->name($key, $version), $keys);
        $found = \larder_fetch_multiple($names, $default);
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
        return \larder_store($this->name($key), $value, Ttl::seconds($ttl));
    }

    public function setMany(array $values, int|float $ttl = 0): bool
    {
        $version = $this->version();
        $names = array_map(fn(string $key): string => $this->name($key, $version), Key::of($values));

        return \larder_store_multiple(array_combine($names, array_values($values)), Ttl::seconds($ttl)) === [];
    }

    public function delete(string $key): bool
    {
        \larder_delete($this->name($key));

        return true;
    }

    public function deleteMany(array $keys): bool
    {
        $version = $this->version();
        \larder_delete_multiple(array_map(fn(string $key): string => $this->name($key, $version), $keys));

        return true;
    }

    public function evicts(): bool
    {
        return true;
    }

    public function clear(): bool
    {
        return \larder_store($this->versionName, self::newVersion());
    }

    /** All but those of more than 65,522 bytes, of which the segment has the SHA-256. */
    public function keys(): iterable
    {
        $prefix = $this->version() . '=';
        foreach (new LarderIterator($prefix) as $name => $info) {
            yield substr($name, \strlen($prefix));
        }
    }

    private function name(string $key, ?string $version = null): string
    {
        Key::check($key);
        $version ??= $this->version();
        $name = $version . '=' . $key;

        return \strlen($name) <= Key::MAX_LENGTH ? $name : $version . '#' . hash('sha256', $key, true);
    }

    /** The engine may have none (no memory, no cache here): then what is stored under this one is not found again. */
    private function version(): string
    {
        $version = \larder_fetch($this->versionName);
        if (!\is_string($version)) {
            $version = self::newVersion();
            if (!\larder_add($this->versionName, $version)) {
                $stored = \larder_fetch($this->versionName);
                $version = \is_string($stored) ? $stored : $version;
            }
        }

        return $version;
    }

    private static function newVersion(): string
    {
        return random_bytes(self::VERSION_BYTES);
    }
}

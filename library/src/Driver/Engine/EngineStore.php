<?php

declare(strict_types=1);

namespace Larder\Driver\Engine;

use Larder\Contract\AtomicStore;
use Larder\Contract\EvictingStore;
use Larder\Contract\ExpiryAwareStore;
use Larder\Contract\ListableStore;
use Larder\Contract\LockingStore;
use Larder\Contract\Store;
use Larder\Exception\InvalidKey;
use Larder\Exception\InvalidTtl;
use Larder\Exception\StoreUnavailable;
use Larder\Key\Key;
use Larder\Key\Ttl;
use LarderIterator;

/**
 * The engine (extension larder): memory shared by all processes of one user, of FPM and of the command line.
 *
 * Keys go to the engine as they are, which checks them itself: its hash of a key is PHP's own, ready in the string. So
 * clear() empties the segment; several caches in one segment are for NamespacedEngineStore.
 */
final class EngineStore implements Store, AtomicStore, LockingStore, ListableStore, ExpiryAwareStore, EvictingStore
{
    use EngineAtomics;

    /**
     * @param string $segment the engine's must have this name; "" for whichever it has
     * @throws StoreUnavailable
     */
    public function __construct(string $segment = '')
    {
        self::checkEngine($segment);
    }

    /**
     * For reasons that stay: an engine that is only short of memory or of process records is an empty cache meanwhile.
     *
     * @throws StoreUnavailable
     */
    public static function checkEngine(string $segment): void
    {
        if (!\extension_loaded('larder')) {
            if (self::isInPhp()) {
                return;
            }

            throw StoreUnavailable::because('larder', 'the PHP extension larder is not loaded', 'To add it: run make extension in a clone of Larder, and put extension=/path/of/the/clone/extension/modules/larder.so into php.ini');
        }
        if (\PHP_OS_FAMILY !== 'Linux' || \PHP_INT_SIZE !== 8) {
            throw StoreUnavailable::because('larder', 'the engine runs on 64-bit Linux only', 'Take apcu: or file: here');
        }
        if (\in_array(ini_get('larder.enabled'), ['', '0', 'Off', 'off', 'No', 'no'], true)) {
            throw StoreUnavailable::because('larder', 'the engine is loaded but switched off', 'Set larder.enabled=1 in php.ini');
        }
        $path = (string) ini_get('larder.path');
        if (ini_get('open_basedir') === '' && !self::hasFolder($path)) { // outside of open_basedir nothing can be looked at
            throw StoreUnavailable::because('larder', \sprintf('%s is not a directory that this user can write', $path), 'Set larder.path in php.ini to one, on a tmpfs');
        }
        $running = (string) ini_get('larder.segment');
        if ($segment !== '' && $segment !== $running) {
            throw StoreUnavailable::because(
                'larder',
                \sprintf('this process has the segment %s, not %s', $running, $segment),
                \sprintf('It is chosen before the script starts: larder.segment=%s in php.ini, in the FPM pool or in the virtual host (php_admin_value), or php -d larder.segment=%1$s', $segment),
            );
        }
    }

    /** Whether the functions are those of the package larder/polyfill, over an array of this process. */
    public static function isInPhp(): bool
    {
        return !\extension_loaded('larder') && \function_exists('larder_fetch');
    }

    /** For people: which of the engine's segments this process has. */
    public static function location(): string
    {
        return \sprintf('segment %s in %s, PHP %d.%d', ini_get('larder.segment'), ini_get('larder.path'), \PHP_MAJOR_VERSION, \PHP_MINOR_VERSION);
    }

    /** One that this user's can be made in, or this user's own, where larder.path is only for root to write. */
    private static function hasFolder(string $path): bool
    {
        if (is_writable("$path/.")) { // which says, in one system call, that it is a directory too
            return true;
        }
        if (!is_dir($path)) {
            return false;
        }
        $user = \larder_info(false)['user'];

        return \is_int($user) && (is_writable("$path/larder/$user") || is_writable("$path/larder-$user"));
    }

    public function get(string $key, mixed $default = null): mixed
    {
        try {
            return \larder_fetch($key, $default);
        } catch (\ValueError $error) {
            throw self::known($error, [$key]);
        }
    }

    public function getMany(array $keys, mixed $default = null): array
    {
        try {
            return \larder_fetch_multiple($keys, $default);
        } catch (\ValueError $error) {
            throw self::known($error, $keys);
        }
    }

    public function has(string $key): bool
    {
        try {
            return \larder_exists($key);
        } catch (\ValueError $error) {
            throw self::known($error, [$key]);
        }
    }

    public function set(string $key, mixed $value, int|float $ttl = 0): bool
    {
        try {
            return \larder_store($key, $value, $ttl);
        } catch (\ValueError $error) {
            throw self::known($error, [$key], $ttl);
        }
    }

    public function setMany(array $values, int|float $ttl = 0): bool
    {
        Key::of($values);
        Ttl::seconds($ttl);

        return \larder_store_multiple($values, $ttl) === [];
    }

    public function delete(string $key): bool
    {
        try {
            \larder_delete($key);
        } catch (\ValueError $error) {
            throw self::known($error, [$key]);
        }

        return true;
    }

    public function deleteMany(array $keys): bool
    {
        array_map(Key::check(...), $keys);
        \larder_delete_multiple($keys);

        return true;
    }

    public function evicts(): bool
    {
        return true;
    }

    public function clear(): bool
    {
        return \larder_clear();
    }

    /** Of all that is in the segment, so those of its namespaces too, as they are there. */
    public function keys(): iterable
    {
        foreach (new LarderIterator() as $key => $info) {
            yield $key;
        }
    }

    private function name(string $key): string
    {
        Key::check($key);

        return $key;
    }

    /**
     * The engine's complaint about a key or a ttl as Larder's; another, as a value's own code may throw, as it is.
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

<?php

declare(strict_types=1);

namespace Larder\Legacy\Eaccelerator;

use Larder\Legacy\Entry;
use Larder\Legacy\Key;
use Larder\Legacy\Miss;
use Larder\Legacy\ServerVariables;
use Larder\Legacy\Setting;

/**
 * The values of eaccelerator_put(): in memory, the engine's entries whose keys begin with PREFIX and the name space, and on
 * disk.
 *
 * A value that is found on disk only goes back into memory. Meanwhile another process may store or delete it, so Miss::Here
 * takes its place in memory first, and the value replaces only that: both change the disk first and memory last.
 */
final class Values
{
    public const PREFIX = 'eaccelerator:';

    /** Seconds that Miss::Here stays if its process dies. */
    private const PROMOTION = 5;

    public static function put(string $key, mixed $value, int $ttl, Place $place): bool
    {
        $name = self::name($key);
        if ($name === null || $place === Place::None) {
            return false;
        }
        if ($ttl < 0) { // it has expired already
            self::delete($key, $place);

            return true;
        }
        $isOnDisk = $place->isOnDisk() && Disk::open()?->files->set($name, $value, $ttl) === true;
        $isInMemory = $place->isInMemory() && larder_store(self::PREFIX . $name, $value, $ttl);

        return $isOnDisk || $isInMemory;
    }

    /** Miss::Here if there is none. */
    public static function get(string $key, Place $place): mixed
    {
        $name = self::name($key);
        if ($name === null) {
            return Miss::Here;
        }
        $value = $place->isInMemory() ? larder_fetch(self::PREFIX . $name, Miss::Here) : Miss::Here;
        if ($value !== Miss::Here || !$place->isOnDisk()) {
            return $value;
        }
        $disk = Disk::open();
        $value = $disk === null ? Miss::Here : $disk->files->get($name, Miss::Here);

        return $disk === null || $value === Miss::Here || !$place->isInMemory() ? $value : self::promoted($disk, $name, $value);
    }

    /** @return bool whether there was no reason not to delete it, as in eAccelerator */
    public static function delete(string $key, Place $place): bool
    {
        $name = self::name($key);
        if ($name === null) {
            return false;
        }
        if ($place->isOnDisk()) {
            Disk::open()?->files->delete($name);
        }
        if ($place->isInMemory()) {
            larder_delete(self::PREFIX . $name);
        }

        return true;
    }

    /**
     * Those of this name space that are in memory, of which no value is read: so Miss::Here is among them where it is in the
     * place of one. With a name space, the names begin with a colon, as eAccelerator's did: applications cut it off.
     *
     * @return list<array{name: string, ttl: int, created: int, size: int}> ttl: Unix time of expiry, 0 for none
     */
    public static function list(): array
    {
        $namespace = self::namespace();
        $list = [];
        foreach (Entry::all(self::PREFIX, $namespace === '' ? '' : "$namespace:") as $entry) {
            $list[] = ['name' => substr($entry->key, \strlen($namespace)), 'ttl' => (int) ceil($entry->expires), 'created' => $entry->stored, 'size' => $entry->size];
        }

        return $list;
    }

    /** The key with its name space: by the setting, else by the virtual host. Null if it can be none. */
    public static function name(string $key): ?string
    {
        $namespace = self::namespace();
        $name = $namespace === '' ? $key : "$namespace:$key";

        return $key !== '' && Key::isValid(self::PREFIX, $name) ? $name : null;
    }

    private static function namespace(): string
    {
        $namespace = Setting::text('eaccelerator.name_space');

        return $namespace === '' ? Key::text(ServerVariables::get('SERVER_NAME')) : $namespace;
    }

    /** The value on disk, which is then in memory too, unless another process has changed it meanwhile. */
    private static function promoted(Disk $disk, string $name, mixed $value): mixed
    {
        $key = self::PREFIX . $name;
        larder_add($key, Miss::Here, self::PROMOTION);
        if (larder_fetch_cas($key, null, $token) !== Miss::Here || $token === null) {
            return $value;
        }
        $expires = $disk->files->expiry($name);
        $value = $disk->files->get($name, Miss::Here);
        if ($expires !== null && $value !== Miss::Here) {
            larder_store_cas($key, $value, $token, $expires === 0.0 ? 0 : max(0.001, $expires - microtime(true)));
        }

        return $value;
    }
}

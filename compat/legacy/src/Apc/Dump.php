<?php

declare(strict_types=1);

namespace Larder\Legacy\Apc;

use Larder\Legacy\Entry;
use Larder\Legacy\Miss;

/**
 * The bytes of apc_bin_dump(): a line that names the format, the SHA-256 of the rest, and a serialized list of
 * [key, value, Unix time of expiry or 0.0]. APC's own were an image of its memory.
 */
final class Dump
{
    private const FORMAT = "larder-apc 1\n";
    private const HASH = 'sha256';
    private const HASH_LENGTH = 64;

    /** @param mixed[]|null $keys null for all */
    public static function write(string $function, ?array $keys): string|false
    {
        if (!self::isAvailable($function)) {
            return false;
        }
        $asked = $keys === null ? null : array_flip(array_map(strval(...), array_filter($keys, is_scalar(...))));
        $entries = [];
        foreach (Entry::all(Variables::PREFIX) as $entry) {
            $isAsked = $asked === null || isset($asked[$entry->key]);
            $value = $isAsked ? larder_fetch(Variables::PREFIX . $entry->key, Miss::Here) : Miss::Here;
            if ($value !== Miss::Here) {
                $entries[] = [$entry->key, $value, $entry->expires];
            }
        }
        $bytes = serialize($entries);

        return self::FORMAT . hash(self::HASH, $bytes) . "\n" . $bytes;
    }

    /** @param resource|null $context */
    public static function toFile(string $bytes, string $file, int $flags, $context): int|false
    {
        $written = $file === '' ? false : @file_put_contents($file, $bytes, $flags & (\LOCK_EX | \FILE_APPEND), $context);
        if ($written !== \strlen($bytes)) {
            trigger_error("apc_bin_dumpfile(): Unable to write to file in apc_bin_dumpfile: $file", \E_USER_WARNING);

            return false;
        }

        return $written;
    }

    /** @param resource|null $context */
    public static function fromFile(string $file, $context): string|false
    {
        $bytes = $file === '' ? false : @file_get_contents($file, false, $context);
        if ($bytes === false || $bytes === '') {
            trigger_error($bytes === false
                ? "apc_bin_loadfile(): Unable to read from file in apc_bin_loadfile: $file"
                : "apc_bin_loadfile(): File passed to apc_bin_loadfile was empty: $file.", \E_USER_WARNING);

            return false;
        }

        return $bytes;
    }

    public static function load(string $function, string $dump): bool
    {
        if (!self::isAvailable($function)) {
            return false;
        }
        $entries = self::entries($dump);
        if ($entries === null) {
            trigger_error("$function(): the dump is damaged, or apc_bin_dump() of Larder did not write it", \E_USER_WARNING);

            return false;
        }
        $now = microtime(true);
        foreach ($entries as [$key, $value, $expires]) {
            if ($expires === 0.0 || $expires > $now) {
                larder_store(Variables::PREFIX . $key, $value, $expires === 0.0 ? 0 : $expires - $now);
            }
        }

        return true;
    }

    /** @return list<array{string, mixed, float}>|null null if it is damaged */
    private static function entries(string $dump): ?array
    {
        $head = \strlen(self::FORMAT);
        $bytes = substr($dump, $head + self::HASH_LENGTH + 1);
        if (!str_starts_with($dump, self::FORMAT) || !hash_equals(hash(self::HASH, $bytes) . "\n", substr($dump, $head, self::HASH_LENGTH + 1))) {
            return null;
        }

        /** @var list<array{string, mixed, float}> by the checksum */
        return unserialize($bytes);
    }

    private static function isAvailable(string $function): bool
    {
        if (larder_info(false)['available'] === true) {
            return true;
        }
        trigger_error("$function(): APC is not enabled, $function not available.", \E_USER_WARNING);

        return false;
    }
}

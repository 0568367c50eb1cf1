<?php

declare(strict_types=1);

namespace Larder\WordPress\Backend;

use Larder\WordPress\Backend;

/** The engine, without the library: a page reads hundreds of values, of some ten nanoseconds each. */
final class Engine extends Backend
{
    /** @return string '' if it can be used */
    public static function reasonAgainst(): string
    {
        if (!\extension_loaded('larder')) {
            return 'the PHP extension larder is not loaded';
        }
        if (!filter_var(\ini_get('larder.enabled'), \FILTER_VALIDATE_BOOL)) {
            return 'the PHP extension larder is switched off by larder.enabled';
        }
        // The rest takes microseconds to find out, and shows when nothing is there.
        if (larder_fetch(self::PROBE) === true) {
            return '';
        }
        larder_store(self::PROBE, true);
        $reason = larder_last_error() === \LARDER_ERROR_UNAVAILABLE ? larder_info(false)['reason'] ?? '' : '';

        return \is_string($reason) && $reason !== '' ? "the engine of Larder has no memory ($reason)" : '';
    }

    /** Begins with a NUL byte, so it counts neither as a hit nor as a miss. */
    private const PROBE = "\0wordpress";

    public function identity(): string
    {
        $user = larder_info(false)['user'] ?? '';

        return implode(' ', [
            'engine', php_uname('n'), \is_int($user) ? $user : '', \PHP_MAJOR_VERSION, \PHP_MINOR_VERSION, \PHP_ZTS,
            \ini_get('larder.path'), \ini_get('larder.segment'),
        ]);
    }

    public function title(): string
    {
        return 'the engine of Larder';
    }

    public function get(string $name, mixed $default = null): mixed
    {
        return larder_fetch($name, $default);
    }

    public function getMany(array $names): array
    {
        $found = larder_fetch_multiple($names, $this);
        if (\in_array($this, $found, true)) {
            foreach (array_keys($found, $this, true) as $missing) {
                unset($found[$missing]);
            }
        }

        return $found;
    }

    public function set(string $name, mixed $value, int|float $ttl = 0): bool
    {
        try {
            return larder_store($name, $value, $ttl) || larder_last_error() !== \LARDER_ERROR_UNAVAILABLE;
        } catch (\Throwable) { // of a value's own code, or because it cannot be serialized; the old value is there
            return $this->delete($name);
        }
    }

    public function add(string $name, mixed $value, int|float $ttl = 0): bool
    {
        try {
            return larder_add($name, $value, $ttl) || larder_last_error() !== \LARDER_ERROR_NONE;
        } catch (\Throwable) {
            return !larder_exists($name);
        }
    }

    public function delete(string $name): bool
    {
        return larder_delete($name) || larder_last_error() === \LARDER_ERROR_NONE;
    }

    public function swap(string $name, int $old, int $new): bool
    {
        return larder_cas($name, $old, $new);
    }
}

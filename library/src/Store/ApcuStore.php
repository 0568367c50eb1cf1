<?php

declare(strict_types=1);

namespace Larder\Store;

use APCUIterator;
use Larder\Exception\StoreUnavailable;

use function apcu_delete;
use function apcu_exists;
use function apcu_fetch;
use function apcu_store;

/**
 * APCu: shared by the workers of one FPM master; a command line process has a memory of its own.
 *
 * Values are kept in APCu's own way (apc.serializer). APCu counts lifetimes in whole seconds, so a value with a ttl is
 * wrapped together with its exact time of expiry. clear() looks at every key that APCu holds.
 */
final class ApcuStore implements Store
{
    /** Stands first in an array that wraps a value. */
    private const WRAP = "\0larder";

    private readonly string $prefix;

    /** @throws StoreUnavailable */
    public function __construct(string $namespace = 'larder')
    {
        StoreUnavailable::unlessLoaded('apcu', 'apcu', 'apcu');
        if (!apcu_enabled()) {
            throw StoreUnavailable::because('apcu', 'APCu is loaded but switched off', \PHP_SAPI === 'cli'
                ? 'On the command line it is on with: php -d apc.enable_cli=1' : 'Set apc.enabled=1 in php.ini');
        }
        $this->prefix = $namespace . ':';
    }

    public function get(string $key, mixed $default = null): mixed
    {
        $value = apcu_fetch($this->name($key), $found);
        if ($found !== true) {
            return $default;
        }

        return \is_array($value) ? self::unwrap($value, $default) : $value;
    }

    public function getMany(array $keys, mixed $default = null): array
    {
        $names = array_map($this->name(...), $keys);
        /** @var array<string, mixed> $found */
        $found = apcu_fetch($names);
        $values = [];
        foreach ($keys as $i => $key) {
            $values[$key] = \array_key_exists($names[$i], $found) ? self::unwrap($found[$names[$i]], $default) : $default;
        }

        return $values;
    }

    public function has(string $key): bool
    {
        return apcu_exists($this->name($key)) && $this->get($key, $this) !== $this;
    }

    public function set(string $key, mixed $value, int|float $ttl = 0): bool
    {
        $name = $this->name($key);
        if (apcu_store($name, self::wrap($value, Ttl::until($ttl)), self::wholeSeconds($ttl))) {
            return true;
        }
        apcu_delete($name);

        return false;
    }

    public function setMany(array $values, int|float $ttl = 0): bool
    {
        $until = Ttl::until($ttl);
        $wrapped = [];
        foreach (Key::of($values) as $key) {
            $wrapped[$this->prefix . $key] = self::wrap($values[$key], $until);
        }
        $refused = apcu_store($wrapped, null, self::wholeSeconds($ttl));
        foreach (array_keys($refused) as $name) {
            apcu_delete($name);
        }

        return $refused === [];
    }

    public function delete(string $key): bool
    {
        apcu_delete($this->name($key));

        return true;
    }

    public function clear(): bool
    {
        return apcu_delete(new APCUIterator('/^' . preg_quote($this->prefix, '/') . '/', \APC_ITER_KEY)) !== false;
    }

    private function name(string $key): string
    {
        Key::check($key);

        return $this->prefix . $key;
    }

    /** APCu may keep a value a little longer than told, never shorter. */
    private static function wholeSeconds(int|float $ttl): int
    {
        return (int) ceil(Ttl::seconds($ttl));
    }

    private static function wrap(mixed $value, float $until): mixed
    {
        $looksWrapped = \is_array($value) && ($value[0] ?? null) === self::WRAP;

        return $until > 0.0 || $looksWrapped ? [self::WRAP, $until, $value] : $value;
    }

    private static function unwrap(mixed $value, mixed $default): mixed
    {
        if (!\is_array($value) || ($value[0] ?? null) !== self::WRAP) {
            return $value;
        }

        return $value[1] === 0.0 || $value[1] > microtime(true) ? $value[2] : $default;
    }
}

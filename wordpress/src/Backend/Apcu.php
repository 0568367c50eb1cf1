<?php

declare(strict_types=1);

namespace Larder\WordPress\Backend;

use Larder\WordPress\Backend;

/**
 * APCu: the memory of one PHP-FPM or Apache, for all its pools, whatever their users. The command line has another one,
 * and each process of php-cgi one of its own: these are never the cache of a site.
 */
final class Apcu extends Backend
{
    private const SHARING = ['fpm-fcgi', 'apache2handler', 'litespeed', 'cli-server'];
    private const TOKEN = 'larder:wordpress';

    /** Whether processes that run in this way share one memory. */
    public static function isShared(string $sapi): bool
    {
        return \in_array($sapi, self::SHARING, true);
    }

    /** Is in the memory itself, as nothing else names it. Without one, this process shares the memory with nobody. */
    public function identity(): string
    {
        $token = bin2hex(random_bytes(8));
        $this->add(self::TOKEN, $token);

        return 'apcu ' . serialize($this->get(self::TOKEN, $token));
    }

    public function title(): string
    {
        return 'APCu';
    }

    public function get(string $name, mixed $default = null): mixed
    {
        try {
            $value = @apcu_fetch($name, $found);
        } catch (\Throwable) { // of the value's own code
            return $default;
        }

        return $found === true ? $value : $default;
    }

    public function getMany(array $names): array
    {
        try {
            $found = @apcu_fetch($names);
        } catch (\Throwable) {
            $found = [];
        }

        return \is_array($found) ? $found : [];
    }

    public function set(string $name, mixed $value, int|float $ttl = 0): bool
    {
        try {
            if (@apcu_store($name, $value, (int) ceil($ttl)) === true) {
                return true;
            }
        } catch (\Throwable) {
        }

        return $this->delete($name);
    }

    public function add(string $name, mixed $value, int|float $ttl = 0): bool
    {
        try {
            $added = @apcu_add($name, $value, (int) ceil($ttl));
        } catch (\Throwable) {
            $added = false;
        }

        return $added === true || apcu_exists($name) !== true;
    }

    public function delete(string $name): bool
    {
        apcu_delete($name);

        return true;
    }

    public function swap(string $name, int $old, int $new): bool
    {
        return apcu_cas($name, $old, $new);
    }
}

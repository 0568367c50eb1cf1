<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\PhpFile;

use Larder\Internal\Process\Warnings;

/**
 * The memory that opcache has left. Until it restarts, opcache takes none back. So a quarter of its memory, of its keys
 * and of its buffer for strings stays free for the program's own files.
 *
 * @phpstan-type Status array{
 *     memory_usage: array{used_memory: int, free_memory: int, wasted_memory: int},
 *     interned_strings_usage?: array{buffer_size: int, free_memory: int},
 *     opcache_statistics: array{num_cached_keys: int, max_cached_keys: int},
 *     scripts?: array<string, array{memory_consumption: int}>,
 * }
 * @phpstan-type Usage array{
 *     scripts: int, bytes: int, wasted: int, free: int, keep_free: int, strings_free: int, strings_keep_free: int,
 * }
 */
final class OpcacheMemory
{
    private const FREE_SHARE = 0.25;

    private function __construct() {}

    /** @return self|null null if opcache is off, uses files alone, or does not answer */
    public static function here(): ?self
    {
        foreach (['opcache_get_status', 'opcache_is_script_cached', 'opcache_invalidate'] as $function) {
            if (!\function_exists($function)) {
                return null;
            }
        }

        return self::status(false) === null ? null : new self();
    }

    /** @return Status|null */
    private static function status(bool $withScripts): ?array
    {
        /** @var Status|array{}|false $status */
        $status = Warnings::suppress(static fn(): array|false => opcache_get_status($withScripts));

        return isset($status['memory_usage'], $status['opcache_statistics']) ? $status : null;
    }

    public function isLeft(): bool
    {
        $status = self::status(false);
        if ($status === null) {
            return false;
        }
        $memory = $status['memory_usage'];
        $all = $memory['used_memory'] + $memory['free_memory'] + $memory['wasted_memory'];
        $keys = $status['opcache_statistics'];
        // Missing if the buffer is off.
        $strings = $status['interned_strings_usage'] ?? ['buffer_size' => 0, 'free_memory' => 0];

        return $memory['free_memory'] >= self::FREE_SHARE * $all
            && $keys['num_cached_keys'] <= (1 - self::FREE_SHARE) * $keys['max_cached_keys']
            && $strings['free_memory'] >= self::FREE_SHARE * $strings['buffer_size'];
    }

    /**
     * @param string $path prefix of the files that are counted
     * @return Usage|null as PhpFileStore::opcacheMemory()
     */
    public function usage(string $path): ?array
    {
        $status = self::status(true);
        if ($status === null) {
            return null;
        }
        $memory = $status['memory_usage'];
        $strings = $status['interned_strings_usage'] ?? ['buffer_size' => 0, 'free_memory' => 0];
        $scripts = 0;
        $bytes = 0;
        foreach ($status['scripts'] ?? [] as $file => $script) {
            if (str_starts_with($file, $path)) {
                ++$scripts;
                $bytes += $script['memory_consumption'];
            }
        }

        return [
            'scripts' => $scripts,
            'bytes' => $bytes,
            'wasted' => $memory['wasted_memory'],
            'free' => $memory['free_memory'],
            'keep_free' => (int) (self::FREE_SHARE * array_sum($memory)),
            'strings_free' => $strings['free_memory'],
            'strings_keep_free' => (int) (self::FREE_SHARE * $strings['buffer_size']),
        ];
    }
}

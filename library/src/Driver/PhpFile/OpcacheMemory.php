<?php

declare(strict_types=1);

namespace Larder\Driver\PhpFile;

use Larder\Process\Quietly;

/**
 * How much opcache has left. A quarter of its memory, of the keys that it can hold and of its buffer of strings stays free
 * for the program's own files: opcache takes none of it back before it restarts.
 */
final class OpcacheMemory
{
    private const FREE_SHARE = 0.25;

    private function __construct() {}

    /** @param string $byOpcache not to be given: see Larder\Process\Pid */
    public static function here(string $byOpcache = 'opcache_get_status'): ?self
    {
        return \function_exists($byOpcache) && \is_array(Quietly::run(static fn(): array|false => opcache_get_status(false))) ? new self() : null;
    }

    public function isLeft(): bool
    {
        $status = Quietly::run(static fn(): array|false => opcache_get_status(false));
        if (!\is_array($status)) {
            return false;
        }
        /** @var array{memory_usage: array{used_memory: int, free_memory: int, wasted_memory: int}, interned_strings_usage?: array{buffer_size: int, free_memory: int}, opcache_statistics: array{num_cached_keys: int, max_cached_keys: int}} $status */
        $memory = $status['memory_usage'];
        $keys = $status['opcache_statistics'];
        $strings = $status['interned_strings_usage'] ?? ['buffer_size' => 0, 'free_memory' => 0]; // none where the buffer is off

        return $memory['free_memory'] >= self::FREE_SHARE * ($memory['used_memory'] + $memory['free_memory'] + $memory['wasted_memory'])
            && $keys['num_cached_keys'] <= (1 - self::FREE_SHARE) * $keys['max_cached_keys']
            && $strings['free_memory'] >= self::FREE_SHARE * $strings['buffer_size'];
    }

    /**
     * @param string $path with which the files begin that are counted
     * @return array{scripts: int, bytes: int, wasted: int, free: int, keep_free: int, strings_free: int, strings_keep_free: int}|null
     *         as PhpFileStore::opcacheMemory()
     */
    public function usage(string $path): ?array
    {
        $status = Quietly::run(static fn(): array|false => opcache_get_status(true));
        if (!\is_array($status)) {
            return null;
        }
        /** @var array{memory_usage: array{used_memory: int, free_memory: int, wasted_memory: int}, interned_strings_usage?: array{buffer_size: int, free_memory: int}, scripts?: array<string, array{memory_consumption: int}>} $status */
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

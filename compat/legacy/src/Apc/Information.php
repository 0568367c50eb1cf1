<?php

declare(strict_types=1);

namespace Larder\Legacy\Apc;

use Larder\Legacy\Entry;
use Larder\Legacy\Memory;
use Larder\Legacy\Number;

/** What dashboards and status pages read: the shapes are APC's, the figures the engine's. */
final class Information
{
    /** @return array<string, mixed>|false */
    public static function ofCache(string $type, bool $limited): array|false
    {
        if (strcasecmp($type, 'filehits') === 0) {
            return false;
        }
        $engine = larder_info(false);
        if ($engine['available'] !== true) {
            trigger_error('apc_cache_info(): No APC info available.  Perhaps APC is not enabled? Check apc.enabled in your ini file', \E_USER_WARNING);

            return false;
        }
        $isUser = strcasecmp($type, 'user') === 0;
        $list = [];
        [$size, $count] = [0, 0];
        foreach ($isUser ? Entry::all(Variables::PREFIX) : [] as $entry) {
            $size += $entry->size;
            ++$count;
            if (!$limited) {
                $list[] = self::ofEntry($entry);
            }
        }
        $counts = $isUser ? $engine : [];
        $info = [
            'num_slots' => Number::of($counts['slots'] ?? 0),
            'ttl' => 0,
            'num_hits' => (float) Number::of($counts['hits'] ?? 0),
            'num_misses' => (float) Number::of($counts['misses'] ?? 0),
            'num_inserts' => (float) Number::of($counts['stores'] ?? 0),
            'expunges' => 0.0,
            'start_time' => self::start($engine['age'] ?? 0),
            'mem_size' => (float) $size,
            'num_entries' => $count,
            'file_upload_progress' => 0,
            'memory_type' => 'mmap',
            'locking_type' => 'none',
        ];

        return $limited ? $info : [...$info, 'cache_list' => $list, 'deleted_list' => [], 'slot_distribution' => []];
    }

    /** @return array<string, mixed>|false */
    public static function ofMemory(bool $limited): array|false
    {
        $memory = Memory::of(larder_info());
        if ($memory === null) {
            trigger_error('apc_sma_info(): No APC SMA info available.  Perhaps APC is disabled via apc.enabled?', \E_USER_WARNING);

            return false;
        }
        $info = ['num_seg' => 1, 'seg_size' => (float) $memory->bytes, 'avail_mem' => (float) $memory->available];

        return $limited ? $info : [...$info, 'block_lists' => [[['size' => $memory->available, 'offset' => 0]]]];
    }

    /** A second before the segment was created: dashboards divide by the seconds since then. */
    private static function start(mixed $age): int
    {
        return (int) floor(microtime(true) - (\is_float($age) ? $age : 0)) - 1;
    }

    /** @return array<string, mixed> */
    private static function ofEntry(Entry $entry): array
    {
        return [
            'info' => $entry->key,
            'ttl' => $entry->ttl,
            'type' => 'user',
            'num_hits' => (float) $entry->hits,
            'mtime' => $entry->stored,
            'creation_time' => $entry->stored,
            'deletion_time' => 0,
            'access_time' => $entry->stored,
            'ref_count' => 0,
            'mem_size' => $entry->size,
        ];
    }
}

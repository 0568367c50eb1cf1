<?php

declare(strict_types=1);

namespace Larder\Legacy\Apc;

use Larder\Legacy\Entry;

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
            'num_slots' => self::number($counts['slots'] ?? 0),
            'ttl' => 0,
            'num_hits' => (float) self::number($counts['hits'] ?? 0),
            'num_misses' => (float) self::number($counts['misses'] ?? 0),
            'num_inserts' => (float) self::number($counts['stores'] ?? 0),
            'expunges' => 0.0,
            'start_time' => time() - self::number($engine['age'] ?? 0),
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
        $engine = larder_info();
        [$memory, $pins] = [$engine['memory'] ?? null, $engine['pins'] ?? null];
        if (!\is_array($memory) || !\is_array($pins)) {
            trigger_error('apc_sma_info(): No APC SMA info available.  Perhaps APC is disabled via apc.enabled?', \E_USER_WARNING);

            return false;
        }
        $page = self::number($memory['page_size']);
        $available = (self::number($memory['pages']) - self::number($pins['pages'])) * $page;
        $info = [
            'num_seg' => 1,
            'seg_size' => (float) (self::number($memory['pages']) * $page),
            'avail_mem' => (float) $available,
        ];

        return $limited ? $info : [...$info, 'block_lists' => [[['size' => $available, 'offset' => 0]]]];
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

    private static function number(mixed $number): int
    {
        return \is_int($number) || \is_float($number) ? (int) $number : 0;
    }
}

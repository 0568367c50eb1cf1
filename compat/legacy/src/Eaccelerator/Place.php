<?php

declare(strict_types=1);

namespace Larder\Legacy\Eaccelerator;

use Larder\Legacy\Setting;

/** Where a value is kept: the numbers of EACCELERATOR_SHM_AND_DISK and its like. */
enum Place: int
{
    case MemoryAndDisk = 0;
    case Memory = 1;
    case MemoryOnly = 2;
    case DiskOnly = 3;
    case None = 4;

    /** @param int|null $number null, or one that does not exist, for the place of the setting */
    public static function of(?int $number, string $setting = 'eaccelerator.keys'): self
    {
        return self::tryFrom($number ?? -1) ?? match (Setting::text($setting)) {
            'shm' => self::Memory,
            'shm_only' => self::MemoryOnly,
            'disk_only' => self::DiskOnly,
            'none' => self::None,
            default => self::MemoryAndDisk,
        };
    }

    public function isInMemory(): bool
    {
        return $this !== self::DiskOnly && $this !== self::None;
    }

    /** Also for Memory: nobody can tell what memory evicts, so what may be evicted is on disk from the start. */
    public function isOnDisk(): bool
    {
        return $this !== self::MemoryOnly && $this !== self::None;
    }
}

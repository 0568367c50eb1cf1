<?php

declare(strict_types=1);

namespace Larder\Legacy\Apc;

/** The constants of APC, and those that an application keeps in the cache. */
final class Constants
{
    private const ALL = [
        'APC_LIST_ACTIVE' => 1,
        'APC_LIST_DELETED' => 2,
        'APC_ITER_TYPE' => 1 << 0,
        'APC_ITER_KEY' => 1 << 1,
        'APC_ITER_VALUE' => 1 << 5,
        'APC_ITER_NUM_HITS' => 1 << 7,
        'APC_ITER_MTIME' => 1 << 8,
        'APC_ITER_CTIME' => 1 << 9,
        'APC_ITER_DTIME' => 1 << 10,
        'APC_ITER_ATIME' => 1 << 11,
        'APC_ITER_REFCOUNT' => 1 << 12,
        'APC_ITER_MEM_SIZE' => 1 << 13,
        'APC_ITER_TTL' => 1 << 14,
        'APC_ITER_NONE' => 0,
        'APC_ITER_ALL' => 0xFFFFFFFF,
        'APC_BIN_VERIFY_MD5' => 1,
        'APC_BIN_VERIFY_CRC32' => 2,
    ];
    private const OF_FILES = [
        'APC_ITER_FILENAME' => 1 << 2,
        'APC_ITER_DEVICE' => 1 << 3,
        'APC_ITER_INODE' => 1 << 4,
        'APC_ITER_MD5' => 1 << 6,
    ];

    /** Defines those of APC that are missing. Where APCu is loaded, its flags have the bits of files, which no entry is. */
    public static function provide(): void
    {
        $isApcu = \defined('APC_ITER_VALUE');
        foreach ([...self::ALL, ...($isApcu ? array_map(static fn(): int => 0, self::OF_FILES) : self::OF_FILES)] as $name => $value) {
            \defined($name) || \define($name, $value);
        }
    }

    /**
     * PHP warns of a constant that is defined already.
     *
     * @param mixed[] $constants name => value
     */
    public static function define(array $constants): void
    {
        foreach ($constants as $name => $value) {
            if (\is_string($name) && ($value === null || \is_scalar($value))) {
                \define($name, $value);
            }
        }
    }
}

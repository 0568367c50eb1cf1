<?php

declare(strict_types=1);

namespace Larder\Internal\Dump;

/**
 * The format of a dump. All numbers are little-endian.
 *
 *     "LARDER DUMP 1\n"
 *     uint32 length | JSON: {"time": unix time, "php": "8.2", "user": 33, "segment": "default"}
 *     for each entry:
 *         uint32 length of the name, not 0 | uint64 length of the value | float64 until | name | value
 *     uint32 0 | uint64 number of entries
 *     16 bytes: XXH128 of all before
 */
final class DumpFile
{
    public const MAGIC = "LARDER DUMP 1\n";
    public const HASH = 'xxh128';
    public const HASH_BYTES = 16;
    /** What stands between the length of a name and the name, for unpack(). */
    public const HEAD = 'Pvalue/euntil';
    public const HEAD_BYTES = 16;
    /** Bytes written, or read, at once. */
    public const CHUNK = 1 << 20;
}

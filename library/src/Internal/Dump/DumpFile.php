<?php

declare(strict_types=1);

namespace Larder\Internal\Dump;

/**
 * The format of a dump. All numbers are little-endian.
 *
 *     "LARDER DUMP 2\n"
 *     uint32 length | JSON: {"time": unix time, "php": "8.2", "user": 33, "segment": "default"}
 *     for each entry:
 *         uint32 length of the name, not 0 | uint8 1 for a string, 0 for bytes of PhpCodec | uint64 length of the value
 *         float64 until, stale, cost | name | value
 *     uint32 0 | uint64 number of entries
 *     16 bytes: XXH128 of all before
 */
final class DumpFile
{
    public const MAGIC = "LARDER DUMP 2\n";
    public const HASH = 'xxh128';
    public const HASH_BYTES = 16;
    /** What stands before the name, for unpack(). */
    public const HEAD = 'Vname/Cstring/Pvalue/euntil/estale/ecost';
    public const HEAD_BYTES = 37;
    /** Bytes written, or read, at once. Of larger values there is no second copy: each costs as much as the file. */
    public const CHUNK = 1 << 18;
}

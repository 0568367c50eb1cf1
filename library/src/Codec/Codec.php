<?php

declare(strict_types=1);

namespace Larder\Codec;

use Larder\Internal\Codec\SignedCodec;

/**
 * Turns values into bytes and back.
 *
 * The first byte names the format, so every codec reads what any other wrote, and changing the setting never breaks old
 * entries (only a SignedCodec refuses unsigned bytes):
 *
 *     a letter, as serialize() begins with    PHP's own
 *     { [ " n t f                             JSON
 *     - or a digit                            a number as in JSON; integers by every codec, so that servers can count
 *     "\3"  "\4"                              igbinary, msgpack
 *     "\5"  "\6"  "\7"                        compressed by zlib, zstd, lz4
 *     "\x08"                                  signed
 *     "\x09"                                  a long string as it is
 *
 * "\1" and "\2" are never first: stores begin their own heads with them.
 */
interface Codec
{
    /**
     * @param string $key under which the bytes will be stored; those of a SignedCodec are valid for no other
     * @throws \Throwable PHP's own for a value that cannot be serialized, such as a closure, or that of a __serialize()
     */
    public function encode(mixed $value, string $key): string;

    /**
     * Unreadable bytes (damaged, of an unknown format, of a class that is missing or refuses them) are a miss, and are
     * counted. Decoding creates objects, so only trusted code may be able to write the bytes, unless they are signed or
     * limited to some classes.
     *
     * @param string $key under which the bytes were stored
     */
    public function decode(string $bytes, string $key, mixed $default = null): mixed;

    /** Counts of the values that this codec could not read. */
    public function failures(): Failures;
}

<?php

declare(strict_types=1);

namespace Larder\Codec;

/**
 * Turns values into bytes and back, apart from the stores.
 *
 * The first byte names the format, so every codec reads what any other wrote, and changing the setting never breaks old
 * entries (a SignedCodec alone refuses what is not signed):
 *
 *     a letter, as serialize() begins with    PHP's own
 *     { [ " n t f                             JSON
 *     - or a digit                            a number as in JSON; integers by every codec, so that servers can count
 *     "\3"  "\4"                              igbinary, msgpack
 *     "\5"  "\6"  "\7"                        compressed by zlib, zstd, lz4
 *     "\x08"                                  signed
 *     "\x09"                                  a long string as it is
 *
 * "\1" and "\2" are never first: stores put them before what they add.
 */
interface Codec
{
    /**
     * @param string $key under which the bytes will be stored; those of a SignedCodec are valid for no other
     * @throws \Throwable PHP's own exception for what cannot be serialized, such as closures, and that of a __serialize()
     */
    public function encode(mixed $value, string $key): string;

    /**
     * Bytes that cannot be read (damaged, of an unknown format, of a class that is gone or refuses them) are a miss, and are
     * counted. Decoding creates objects, so only trusted code may be able to write the bytes, unless they are signed or
     * limited to some classes.
     *
     * @param string $key under which the bytes were stored
     */
    public function decode(string $bytes, string $key, mixed $default = null): mixed;

    /** What this codec could not read. */
    public function failures(): Failures;
}

<?php

declare(strict_types=1);

namespace Larder\Codec;

/**
 * Turns values into bytes and back, apart from the stores.
 *
 * The first byte names the format, so every codec reads what any other wrote, and changing the setting never breaks old
 * entries: a letter, as serialize() begins with, is PHP's own; "\3" is igbinary's. "\1" and "\2" are never first: stores
 * put them before what they add.
 */
interface Codec
{
    /** @throws \Throwable PHP's own for what cannot be serialized, such as closures, and what a __serialize() throws */
    public function encode(mixed $value): string;

    /**
     * Bytes that cannot be read (damaged, of an unknown format, or of a class that refuses them) give the default, as a
     * miss does. Objects are made: bytes must come from a place that only trusted code writes.
     */
    public function decode(string $bytes, mixed $default = null): mixed;
}

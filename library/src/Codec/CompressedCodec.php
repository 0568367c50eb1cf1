<?php

declare(strict_types=1);

namespace Larder\Codec;

use Larder\Exception\StoreUnavailable;

/** Compresses what another codec wrote, where that is long enough to be worth the time and gets shorter by it. */
final class CompressedCodec implements Codec
{
    /** Bytes. Below, about one network packet, a value saves little memory and no time. */
    public const FROM = 2048;

    /**
     * @param SerializingCodec $codec which reads compressed bytes itself
     * @param int $from bytes: what is shorter is not compressed
     * @throws StoreUnavailable when the extension is missing
     */
    public function __construct(
        private readonly SerializingCodec $codec,
        private readonly Compression $compression,
        private readonly int $from = self::FROM,
    ) {
        $compression->check();
    }

    public function encode(mixed $value, string $key): string
    {
        $bytes = $this->codec->encode($value, $key);

        return \strlen($bytes) < $this->from ? $bytes : $this->compression->seal($bytes);
    }

    public function decode(string $bytes, string $key, mixed $default = null): mixed
    {
        return $this->codec->decode($bytes, $key, $default);
    }

    public function failures(): Failures
    {
        return $this->codec->failures();
    }
}

<?php

declare(strict_types=1);

namespace Larder\Internal\Codec;

use Larder\Codec\Codec;
use Larder\Codec\Failures;
use Larder\Exception\StoreUnavailable;

/** Compresses another codec's bytes if they are long enough to be worth the time, and if that makes them shorter. */
final class CompressedCodec implements Codec
{
    /** Bytes. Below, about one network packet, a value saves little memory and no time. */
    public const FROM = 2048;

    /**
     * @param PhpCodec $codec reads compressed bytes itself
     * @param int $from least length of compressed values
     * @throws StoreUnavailable if the extension is missing
     */
    public function __construct(
        private readonly PhpCodec $codec,
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

<?php

declare(strict_types=1);

namespace Larder\Internal\Codec;

use Larder\Codec\Failure;
use Larder\Exception\StoreUnavailable;

/**
 * Compression algorithms:
 *
 *     "\5", "\6" or "\7" | length of the uncompressed bytes, and a checksum (see Checksum) | compressed bytes
 *
 * Reading never expands them beyond that length, nor beyond MAX_LENGTH, whatever the compressed bytes claim.
 */
enum Compression: string
{
    case Zlib = 'zlib';
    case Zstd = 'zstd';
    case Lz4 = 'lz4';

    /** Bytes. Longer ones are stored as they are. */
    public const MAX_LENGTH = 64 << 20;

    /** Levels up to 9 take two to five times as long for a tenth fewer bytes. */
    private const ZLIB_LEVEL = 1;
    private const LZ4_LENGTH = 4;

    private const FORMATS = ["\5" => self::Zlib, "\6" => self::Zstd, "\7" => self::Lz4];

    public static function ofFormat(string $byte): ?self
    {
        return self::FORMATS[$byte] ?? null;
    }

    public function check(): void
    {
        $package = $this === self::Zlib ? 'common' : $this->value;
        StoreUnavailable::unlessLoaded('compress=' . $this->value, $this->value, $package);
    }

    /** @return string the bytes themselves if compression saves nothing */
    public function seal(string $bytes): string
    {
        $length = \strlen($bytes);
        $compressed = $length > self::MAX_LENGTH ? false : match ($this) {
            self::Zlib => gzcompress($bytes, self::ZLIB_LEVEL),
            self::Zstd => zstd_compress($bytes),
            self::Lz4 => lz4_compress($bytes),
        };

        return \is_string($compressed) && \strlen($compressed) + Checksum::HEAD < $length
            ? Checksum::before($compressed, (string) array_search($this, self::FORMATS, true), $length)
            : $bytes;
    }

    /**
     * @param string $sealed in this format
     * @throws Unreadable
     */
    public function open(string $sealed): string
    {
        if (!\extension_loaded($this->value)) {
            throw new Unreadable(Failure::ExtensionMissing);
        }
        $compressed = Checksum::checked($sealed);
        $length = Checksum::length($sealed);
        $bytes = $length > self::MAX_LENGTH ? false : match ($this) {
            self::Zlib => @gzuncompress($compressed, max(1, $length)),
            self::Zstd => ZstdFrame::length($compressed) === $length ? @zstd_uncompress($compressed) : false,
            self::Lz4 => \strlen($compressed) > self::LZ4_LENGTH
                ? @lz4_uncompress($compressed, max(1, $length))
                : false,
        };

        return \is_string($bytes) && \strlen($bytes) === $length ? $bytes : throw new Unreadable(Failure::Damaged);
    }
}

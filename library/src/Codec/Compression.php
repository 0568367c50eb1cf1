<?php

declare(strict_types=1);

namespace Larder\Codec;

use Larder\Exception\StoreUnavailable;

/**
 * Ways to make bytes fewer:
 *
 *     "\5", "\6" or "\7" | length of what was compressed, and a checksum (see Checksum) | compressed bytes
 *
 * Reading never makes more than that length of them, and never more than MAX_LENGTH, whatever the compressed bytes say.
 */
enum Compression: string
{
    case Zlib = 'zlib';
    case Zstd = 'zstd';
    case Lz4 = 'lz4';

    /** Bytes. Longer ones are stored as they are. */
    public const MAX_LENGTH = 64 << 20;

    /** Of 9. Higher levels take two to five times as long for a tenth fewer bytes. */
    private const ZLIB_LEVEL = 1;
    /** Bytes that lz4 puts before its own. */
    private const LZ4_LENGTH = 4;

    public static function ofFormat(string $byte): ?self
    {
        return match ($byte) {
            "\5" => self::Zlib,
            "\6" => self::Zstd,
            "\7" => self::Lz4,
            default => null,
        };
    }

    /** @throws StoreUnavailable */
    public function check(): void
    {
        StoreUnavailable::unlessLoaded('compress=' . $this->value, $this->value, $this === self::Zlib ? 'common' : $this->value);
    }

    /** @return string the bytes themselves when compressed they are not fewer */
    public function seal(string $bytes): string
    {
        $length = \strlen($bytes);
        $compressed = $length > self::MAX_LENGTH ? false : match ($this) {
            self::Zlib => gzcompress($bytes, self::ZLIB_LEVEL),
            self::Zstd => zstd_compress($bytes),
            self::Lz4 => lz4_compress($bytes),
        };

        return \is_string($compressed) && \strlen($compressed) + Checksum::HEAD < $length
            ? Checksum::before($compressed, $this->format(), $length)
            : $bytes;
    }

    /**
     * @param string $sealed that begins with this one's format
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
            self::Lz4 => \strlen($compressed) > self::LZ4_LENGTH ? @lz4_uncompress($compressed, max(1, $length)) : false,
        };

        return \is_string($bytes) && \strlen($bytes) === $length ? $bytes : throw new Unreadable(Failure::Damaged);
    }

    private function format(): string
    {
        return match ($this) {
            self::Zlib => "\5",
            self::Zstd => "\6",
            self::Lz4 => "\7",
        };
    }
}

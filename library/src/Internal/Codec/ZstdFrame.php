<?php

declare(strict_types=1);

namespace Larder\Internal\Codec;

/**
 * Frame format of zstd (RFC 8878): a header that may have the length of the content, and blocks.
 *
 * zstd expands one whole frame to its length and no further; a frame that ends early, or lies, to hundreds of times the
 * memory of the machine. So both are checked first.
 */
final class ZstdFrame
{
    private const MAGIC = "\x28\xb5\x2f\xfd";
    private const RAW = 0;
    private const RLE = 1;
    private const COMPRESSED = 2;

    /** @return int|null bytes of the content; null unless this is one whole frame that has it, without a dictionary */
    public static function length(string $frame): ?int
    {
        if (!str_starts_with($frame, self::MAGIC) || \strlen($frame) < 6) {
            return null;
        }
        $flags = \ord($frame[4]);
        $isSingleSegment = ($flags & 0b0010_0000) !== 0;
        $hasChecksum = ($flags & 0b0000_0100) !== 0;
        $hasDictionary = ($flags & 0b0000_0011) !== 0;
        $at = $isSingleSegment ? 5 : 6;
        [$width, $least] = match ($flags >> 6) {
            0 => $isSingleSegment ? [1, 0] : [0, 0],
            1 => [2, 256],
            2 => [4, 0],
            default => [8, 0],
        };
        if ($width === 0 || $hasDictionary || \strlen($frame) < $at + $width) {
            return null;
        }
        /** @var array{1: int} $length */
        $length = unpack('P', str_pad(substr($frame, $at, $width), 8, "\0"));
        $end = self::end($frame, $at + $width);

        return $end !== null && $end + ($hasChecksum ? 4 : 0) === \strlen($frame) ? $length[1] + $least : null;
    }

    /** @return int|null end of the blocks that begin there */
    private static function end(string $frame, int $at): ?int
    {
        do {
            if (\strlen($frame) < $at + 3) {
                return null;
            }
            /** @var array{1: int} $head */
            $head = unpack('V', substr($frame, $at, 3) . "\0");
            $size = $head[1] >> 3;
            $at += 3;
            switch (($head[1] >> 1) & 0b11) {
                case self::RAW:
                case self::COMPRESSED:
                    $at += $size;
                    break;
                case self::RLE:
                    ++$at;
                    break;
                default:
                    return null;
            }
        } while (($head[1] & 1) === 0);

        return $at;
    }
}

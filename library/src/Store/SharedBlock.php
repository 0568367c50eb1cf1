<?php

declare(strict_types=1);

namespace Larder\Store;

use Shmop;

/**
 * Blocks of System V shared memory, each with one envelope:
 *
 *     "lrd\2" | length of the envelope: uint32, 0 while it is written | hash of the namespace: 8 bytes
 *     | time of writing: int64, microseconds | envelope
 *
 * Whoever calls holds the block's lock. A writer that is killed half-way leaves a length of 0: nothing is read then.
 * Blocks of others that happen to have the id are left alone.
 */
final class SharedBlock
{
    private const MARK = "lrd\2";
    private const MARK_LENGTH = 4;
    /** Blocks of all versions begin so. */
    private const ANY_MARK = 'lrd';
    private const HEAD = 24;
    private const NAMESPACE_AT = 8;
    private const TIME_AT = 16;

    /** Our sizes are odd in this way: it tells a block whose maker died before it wrote the head. */
    private const SIZE_STEP = 64;
    private const SIZE_REMAINDER = 13;

    /** A block this much larger than needed is made anew. */
    private const WASTE = 64 * 1024;

    private readonly string $namespaceHash;
    /** @var (\Closure(): true)|null */
    private static ?\Closure $ignore = null;

    public function __construct(string $namespace)
    {
        $this->namespaceHash = hash('xxh3', $namespace, true);
    }

    /** @return string|null the envelope ("" for an unfinished one, when asked for); null when there is none of ours */
    public function read(int $id, bool $evenUnfinished = false): ?string
    {
        $block = self::open($id, 'a');
        if ($block === false || shmop_size($block) < self::HEAD) {
            return null;
        }
        $head = shmop_read($block, 0, self::HEAD);
        if (!str_starts_with($head, self::MARK) || substr_compare($head, $this->namespaceHash, self::NAMESPACE_AT, 8) !== 0) {
            return null;
        }
        $length = $this->length($head);
        if ($length === 0 || $length > shmop_size($block) - self::HEAD) {
            return $evenUnfinished ? '' : null;
        }

        return shmop_read($block, self::HEAD, $length);
    }

    /** @return bool|null null when the kernel gives no block; false when the block is somebody else's */
    public function write(int $id, string $envelope): ?bool
    {
        $needed = self::HEAD + \strlen($envelope);
        $block = self::open($id, 'w');
        if ($block !== false) {
            if (!self::isLarders($block)) {
                return false;
            }
            if (shmop_size($block) < $needed || shmop_size($block) > $needed + self::WASTE + $needed) {
                shmop_delete($block);
                $block = false;
            }
        }
        if ($block === false) {
            $block = self::open($id, 'n', self::size($envelope));
        }
        if ($block === false) {
            return null;
        }
        shmop_write($block, self::MARK . pack('V', 0) . $this->namespaceHash . pack('P', (int) (1e6 * microtime(true))), 0);
        shmop_write($block, $envelope, self::HEAD);
        shmop_write($block, pack('V', \strlen($envelope)), self::MARK_LENGTH);

        return true;
    }

    /** @return int bytes of the block that is made for an envelope */
    public static function size(string $envelope): int
    {
        $needed = self::HEAD + \strlen($envelope);

        return $needed + self::SIZE_STEP - ($needed % self::SIZE_STEP) + self::SIZE_REMAINDER;
    }

    /** @return bool false when the kernel refuses */
    public function remove(int $id): bool
    {
        $block = self::open($id, 'w');

        return $block === false || !self::isLarders($block) || shmop_delete($block);
    }

    /** @return bool false when there is none of Larder's, of whichever namespace, or the kernel refuses */
    public static function discard(int $id): bool
    {
        $block = self::open($id, 'w');

        return $block !== false && self::isLarders($block) && shmop_delete($block);
    }

    /** @return int microseconds, 0 when it is not known */
    public static function written(int $id): int
    {
        $block = self::open($id, 'a');
        if ($block === false || shmop_size($block) < self::HEAD || shmop_read($block, 0, self::MARK_LENGTH) !== self::MARK) {
            return 0;
        }
        /** @var array{1: int} $time */
        $time = unpack('P', shmop_read($block, self::TIME_AT, 8));

        return $time[1];
    }

    /** Without the warning that there is none: the error handlers of frameworks are called even for one that @ hides. */
    private static function open(int $id, string $mode, int $size = 0): Shmop|false
    {
        set_error_handler(self::$ignore ??= Quietly::ignore(...));

        try {
            return shmop_open($id, $mode, $size === 0 ? 0 : 0o600, $size);
        } finally {
            restore_error_handler();
        }
    }

    private static function isLarders(Shmop $block): bool
    {
        $size = shmop_size($block);
        if ($size < self::HEAD) {
            return false;
        }
        $head = shmop_read($block, 0, self::HEAD);

        return str_starts_with($head, self::ANY_MARK)
            || ($head === str_repeat("\0", self::HEAD) && $size % self::SIZE_STEP === self::SIZE_REMAINDER);
    }

    private function length(string $head): int
    {
        /** @var array{1: int} $length */
        $length = unpack('V', $head, self::MARK_LENGTH);

        return $length[1];
    }
}

<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\Legacy\Shmop;

use Larder\Internal\Process\Warnings;
use Shmop;

/**
 * Blocks of System V shared memory, each with one envelope:
 *
 *     "lrd\2" | length of the envelope: uint32, 0 while it is written | tag of the namespace: 8 bytes
 *     | tag of the user: 8 bytes | time of writing: int64, microseconds | envelope
 *
 * Any user can create a block of any id that all can read and write, and PHP does not report its owner. So the tags
 * derive from a secret of this user, and other users cannot read the blocks that have them: a block without them is
 * neither read nor written. The caller holds the block's lock. A writer killed half-way leaves a length of 0: nothing
 * is read then.
 */
final class SharedBlock
{
    private const MARK = "lrd\2";
    private const MARK_LENGTH = 4;
    private const ANY_MARK = 'lrd';
    private const HEAD = 32;
    private const TAGS_AT = 8;
    private const USER_AT = 16;
    private const TAG_LENGTH = 8;
    private const TIME_AT = 24;

    /** Our sizes have this remainder, which marks a block whose process died before it wrote the head. */
    private const SIZE_STEP = 64;
    private const SIZE_REMAINDER = 13;

    /** A block is recreated if it is this much larger than needed. */
    private const WASTE = 64 * 1024;

    private readonly string $tags;

    public function __construct(string $namespace, #[\SensitiveParameter] string $secret)
    {
        $this->tags = substr(hash_hmac('sha256', 'n' . $namespace, $secret, true), 0, self::TAG_LENGTH)
            . substr(hash_hmac('sha256', 'u', $secret, true), 0, self::TAG_LENGTH);
    }

    /** @return string|null the envelope ("" for an unfinished one, if asked for); null if there is none of ours */
    public function read(int $id, bool $evenUnfinished = false): ?string
    {
        $block = self::open($id, 'a');
        if ($block === false || shmop_size($block) < self::HEAD) {
            return null;
        }
        $head = shmop_read($block, 0, self::HEAD);
        if (!str_starts_with($head, self::MARK) || substr($head, self::TAGS_AT, 2 * self::TAG_LENGTH) !== $this->tags) {
            return null;
        }
        /** @var array{1: int} $parts */
        $parts = unpack('V', $head, self::MARK_LENGTH);
        $length = $parts[1];
        if ($length === 0 || $length > shmop_size($block) - self::HEAD) {
            return $evenUnfinished ? '' : null;
        }

        return shmop_read($block, self::HEAD, $length);
    }

    /** @return bool|null null if the kernel provides no block; false if the block is another user's */
    public function write(int $id, string $envelope): ?bool
    {
        $needed = self::HEAD + \strlen($envelope);
        $block = self::open($id, 'w');
        if ($block !== false) {
            if (!$this->isOurs($block)) {
                return false;
            }
            $size = shmop_size($block);
            if (self::isUnwritten($block) || $size < $needed || $size > 2 * $needed + self::WASTE) {
                if (!self::delete($block)) {
                    return false;
                }
                $block = false;
            }
        }
        if ($block === false) {
            $block = self::open($id, 'n', self::size($envelope));
        }
        if ($block === false) {
            return null;
        }
        shmop_write($block, self::MARK . pack('V', 0) . $this->tags . pack('P', (int) (1e6 * microtime(true))), 0);
        shmop_write($block, $envelope, self::HEAD);
        shmop_write($block, pack('V', \strlen($envelope)), self::MARK_LENGTH);

        return true;
    }

    public static function size(string $envelope): int
    {
        $needed = self::HEAD + \strlen($envelope);

        return $needed + self::SIZE_STEP - ($needed % self::SIZE_STEP) + self::SIZE_REMAINDER;
    }

    /** @return bool false if the kernel refuses */
    public function remove(int $id): bool
    {
        $block = self::open($id, 'w');

        return $block === false || !$this->isOurs($block) || self::delete($block);
    }

    /** True if its process died before it wrote anything. The caller holds the lock: else it may be about to write. */
    public static function isLeftBehind(int $id): bool
    {
        $block = self::open($id, 'a');

        return $block !== false && self::isUnwritten($block);
    }

    /**
     * @param int $id of a block that belongs to this user
     * @return bool false if it is not Larder's, of any namespace or secret, or the kernel refuses
     */
    public static function discard(int $id): bool
    {
        $block = self::open($id, 'w');

        return $block !== false
            && shmop_size($block) >= self::MARK_LENGTH
            && (self::isUnwritten($block) || str_starts_with(shmop_read($block, 0, self::MARK_LENGTH), self::ANY_MARK))
            && self::delete($block);
    }

    /** @return int time of writing in microseconds, 0 if unknown */
    public static function written(int $id): int
    {
        $block = self::open($id, 'a');
        if ($block === false || shmop_size($block) < self::HEAD) {
            return 0;
        }
        $head = shmop_read($block, 0, self::HEAD);
        /** @var array{1: int} $time */
        $time = unpack('P', $head, self::TIME_AT);

        return str_starts_with($head, self::MARK) ? $time[1] : 0;
    }

    /** Without a warning if there is none: frameworks' error handlers are called even for one that @ hides. */
    private static function open(int $id, string $mode, int $size = 0): Shmop|false
    {
        return Warnings::suppress(static fn(): Shmop|false => shmop_open($id, $mode, $size === 0 ? 0 : 0o600, $size));
    }

    private function isOurs(Shmop $block): bool
    {
        if (shmop_size($block) < self::HEAD) {
            return false;
        }
        $head = shmop_read($block, 0, self::HEAD);
        $user = substr($this->tags, self::TAG_LENGTH);

        return self::isUnwritten($block)
            || (str_starts_with($head, self::MARK) && substr($head, self::USER_AT, self::TAG_LENGTH) === $user);
    }

    /** True if its process died before it wrote the head, or another user pretends so: it is deleted, never written. */
    private static function isUnwritten(Shmop $block): bool
    {
        $size = shmop_size($block);

        return $size % self::SIZE_STEP === self::SIZE_REMAINDER && $size >= self::HEAD
            && shmop_read($block, 0, self::HEAD) === str_repeat("\0", self::HEAD);
    }

    /** The kernel refuses to delete a block of another user. */
    private static function delete(Shmop $block): bool
    {
        return Warnings::suppress(static fn(): bool => shmop_delete($block));
    }
}

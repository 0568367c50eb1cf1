<?php

declare(strict_types=1);

namespace Larder\Driver\Legacy\Shmop;

use Larder\Process\Quietly;
use Shmop;

/**
 * Blocks of System V shared memory, each with one envelope:
 *
 *     "lrd\2" | length of the envelope: uint32, 0 while it is written | tag of the namespace: 8 bytes
 *     | tag of the user: 8 bytes | time of writing: int64, microseconds | envelope
 *
 * Everybody can make a block of any id and let everybody read and write it, and PHP does not tell whose it is. The tags come
 * from a secret of this user, and others cannot read the blocks where they stand: without them nothing is read, or written.
 * Whoever calls holds the block's lock. A writer that is killed half-way leaves a length of 0: nothing is read then.
 * Blocks of others that happen to have the id are left alone.
 */
final class SharedBlock
{
    private const MARK = "lrd\2";
    private const MARK_LENGTH = 4;
    /** Blocks of all versions begin so. */
    private const ANY_MARK = 'lrd';
    private const HEAD = 32;
    private const TAGS_AT = 8;
    private const USER_AT = 16;
    private const TAG_LENGTH = 8;
    private const TIME_AT = 24;

    /** Our sizes are odd in this way: it tells a block whose maker died before it wrote the head. */
    private const SIZE_STEP = 64;
    private const SIZE_REMAINDER = 13;

    /** A block this much larger than needed is recreated. */
    private const WASTE = 64 * 1024;

    /** Of the namespace and of the user. */
    private readonly string $tags;

    /** @param string $secret that no other user knows */
    public function __construct(string $namespace, #[\SensitiveParameter] string $secret)
    {
        $this->tags = substr(hash_hmac('sha256', 'n' . $namespace, $secret, true), 0, self::TAG_LENGTH)
            . substr(hash_hmac('sha256', 'u', $secret, true), 0, self::TAG_LENGTH);
    }

    /** @return string|null the envelope ("" for an unfinished one, when asked for); null when there is none of ours */
    public function read(int $id, bool $evenUnfinished = false): ?string
    {
        $block = self::open($id, 'a');
        if ($block === false || shmop_size($block) < self::HEAD) {
            return null;
        }
        $head = shmop_read($block, 0, self::HEAD);
        if (!str_starts_with($head, self::MARK) || substr_compare($head, $this->tags, self::TAGS_AT, 2 * self::TAG_LENGTH) !== 0) {
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
            if (!$this->isOurs($block)) {
                return false;
            }
            if (self::isUnwritten($block) || shmop_size($block) < $needed || shmop_size($block) > $needed + self::WASTE + $needed) {
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

        return $block === false || !$this->isOurs($block) || self::delete($block);
    }

    /** Whether its maker died before it wrote anything; under the lock of the id, or it may be about to. */
    public static function isLeftBehind(int $id): bool
    {
        $block = self::open($id, 'a');

        return $block !== false && self::isUnwritten($block);
    }

    /**
     * @param int $id of a block that belongs to this user
     * @return bool false when there is none of Larder's, of whichever namespace or secret, or the kernel refuses
     */
    public static function discard(int $id): bool
    {
        $block = self::open($id, 'w');

        return $block !== false
            && shmop_size($block) >= self::MARK_LENGTH
            && (self::isUnwritten($block) || str_starts_with(shmop_read($block, 0, self::MARK_LENGTH), self::ANY_MARK))
            && self::delete($block);
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
        set_error_handler(Quietly::ignore(...));

        try {
            return shmop_open($id, $mode, $size === 0 ? 0 : 0o600, $size);
        } finally {
            restore_error_handler();
        }
    }

    /** Of whichever namespace. */
    private function isOurs(Shmop $block): bool
    {
        if (shmop_size($block) < self::HEAD) {
            return false;
        }
        $head = shmop_read($block, 0, self::HEAD);

        return self::isUnwritten($block)
            || (str_starts_with($head, self::MARK) && substr_compare($head, substr($this->tags, self::TAG_LENGTH), self::USER_AT, self::TAG_LENGTH) === 0);
    }

    /** Whether its maker died before it wrote the head, or another user says so: it is deleted, never written. */
    private static function isUnwritten(Shmop $block): bool
    {
        $size = shmop_size($block);

        return $size % self::SIZE_STEP === self::SIZE_REMAINDER && $size >= self::HEAD && shmop_read($block, 0, self::HEAD) === str_repeat("\0", self::HEAD);
    }

    /** The kernel refuses to delete a block of another user. */
    private static function delete(Shmop $block): bool
    {
        return Quietly::run(static fn(): bool => shmop_delete($block));
    }

    private function length(string $head): int
    {
        /** @var array{1: int} $length */
        $length = unpack('V', $head, self::MARK_LENGTH);

        return $length[1];
    }
}

<?php

declare(strict_types=1);

namespace Larder\Store;

use Shmop;

/**
 * Blocks of System V shared memory, each with one envelope:
 *
 *     "lrd\1" | length of the envelope: uint32, 0 while it is written | hash of the namespace: 8 bytes | envelope
 *
 * Whoever calls holds the block's lock. A writer that is killed half-way leaves a length of 0: nothing is read then.
 * Blocks of others that happen to have the id are left alone.
 */
final class SharedBlock
{
    private const MARK = "lrd\1";
    private const HEAD = 16;

    /** Our sizes are odd in this way: it tells a block whose maker died before it wrote the head. */
    private const SIZE_STEP = 64;
    private const SIZE_REMAINDER = 13;

    /** A block this much larger than needed is made anew. */
    private const WASTE = 64 * 1024;

    private readonly string $namespaceHash;

    public function __construct(string $namespace)
    {
        $this->namespaceHash = hash('xxh3', $namespace, true);
    }

    /** @return string|null the envelope ("" for an unfinished one, when asked for); null when there is none of ours */
    public function read(int $id, bool $evenUnfinished = false): ?string
    {
        $block = @shmop_open($id, 'a', 0, 0);
        if ($block === false || shmop_size($block) < self::HEAD) {
            return null;
        }
        $head = shmop_read($block, 0, self::HEAD);
        if (!str_starts_with($head, self::MARK) || !str_ends_with($head, $this->namespaceHash)) {
            return null;
        }
        $length = $this->length($head);
        if ($length === 0 || $length > shmop_size($block) - self::HEAD) {
            return $evenUnfinished ? '' : null;
        }

        return shmop_read($block, self::HEAD, $length);
    }

    /** @return bool false when the kernel gives no block, or the block is somebody else's */
    public function write(int $id, string $envelope): bool
    {
        $needed = self::HEAD + \strlen($envelope);
        $block = @shmop_open($id, 'w', 0, 0);
        if ($block !== false) {
            if (!$this->isLarders($block)) {
                return false;
            }
            if (shmop_size($block) < $needed || shmop_size($block) > $needed + self::WASTE + $needed) {
                shmop_delete($block);
                $block = false;
            }
        }
        if ($block === false) {
            $size = $needed + self::SIZE_STEP - ($needed % self::SIZE_STEP) + self::SIZE_REMAINDER;
            $block = @shmop_open($id, 'n', 0o600, $size);
        }
        if ($block === false) {
            return false;
        }
        shmop_write($block, self::MARK . pack('V', 0) . $this->namespaceHash, 0);
        shmop_write($block, $envelope, self::HEAD);
        shmop_write($block, pack('V', \strlen($envelope)), \strlen(self::MARK));

        return true;
    }

    /** @return bool false when the kernel refuses */
    public function remove(int $id): bool
    {
        $block = @shmop_open($id, 'w', 0, 0);

        return $block === false || !$this->isLarders($block) || shmop_delete($block);
    }

    private function isLarders(Shmop $block): bool
    {
        $size = shmop_size($block);
        if ($size < self::HEAD) {
            return false;
        }
        $head = shmop_read($block, 0, self::HEAD);

        return str_starts_with($head, self::MARK)
            || ($head === str_repeat("\0", self::HEAD) && $size % self::SIZE_STEP === self::SIZE_REMAINDER);
    }

    private function length(string $head): int
    {
        /** @var array{1: int} $length */
        $length = unpack('V', $head, \strlen(self::MARK));

        return $length[1];
    }
}

<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\Legacy\Shmop;

use Larder\Internal\Driver\Common\Envelope;
use Larder\Internal\Lock\StripedLock;
use Larder\Internal\Process\User;
use Larder\Internal\Process\Warnings;

/** This user's blocks of System V shared memory, and their eviction when the kernel provides no more. */
final class ShmopBlocks
{
    public const LIST = '/proc/sysvipc/shm';

    /** An eviction removes one of so many blocks. */
    private const SHARE = 16;
    /** The kernel counts whole seconds, so blocks used this recently are ordered by their time of writing. */
    private const RECENT_SECONDS = 2;

    private const PAGE = 4096;

    private const ID = 0;
    private const SIZE = 3;
    private const USER = 7;
    private const ATTACHED = 11;
    private const CHANGED = 13;

    public function __construct(private readonly StripedLock $lock, private readonly SharedBlock $block) {}

    /**
     * @param list<string>|null $list as list() returns it
     * @return array<int, array{size: int, used: int}> by id; bytes of whole pages, unix time of the last use
     */
    public static function blocks(?array $list = null): array
    {
        $blocks = [];
        $user = User::id();
        foreach ($list ?? self::list() as $line) {
            $columns = preg_split('/\s+/', trim($line));
            if ($columns !== false && (int) $columns[self::ID] > 0 && (int) ($columns[self::USER] ?? -1) === $user) {
                $blocks[(int) $columns[self::ID]] = [
                    'size' => self::pages((int) $columns[self::SIZE]),
                    'used' => max((int) ($columns[self::ATTACHED] ?? 0), (int) ($columns[self::CHANGED] ?? 0)),
                ];
            }
        }

        return $blocks;
    }

    public function clear(): bool
    {
        $all = true;
        foreach (array_keys(self::blocks()) as $id) {
            $done = $this->lock->around($id, function () use ($id): bool {
                $isOurs = $this->block->read($id, evenUnfinished: true) !== null || SharedBlock::isLeftBehind($id);

                return !$isOurs || $this->block->remove($id);
            });
            $all = $done === true && $all;
        }

        return $all;
    }

    /**
     * Removes the sixteenth of Larder's blocks that was used longest ago; if some of these have expired, only those.
     * Other blocks are not opened, as the kernel counts that as use.
     *
     * @param int $bytes of the block that the kernel refused
     * @return bool false if nothing could be removed, or not enough
     */
    public function evict(int $bytes): bool
    {
        $limit = self::limit('shmmax');
        $list = self::list();
        $blocks = self::blocks($list);
        // Either the kernel has no more blocks, or no more memory for them.
        $isOfNumber = \count($list) >= self::limit('shmmni');
        $least = $isOfNumber ? 0 : self::pages($bytes);
        if (($limit > 0 && $bytes > $limit) || $least > array_sum(array_column($blocks, 'size'))) {
            return false;
        }
        $count = intdiv(\count($blocks), self::SHARE) + 1;
        $oldest = $this->oldestFirst($blocks, $count);
        if ($this->removeExpired(\array_slice($oldest, 0, $count))) {
            return true;
        }
        $removed = $freed = 0;
        foreach ($oldest as $id) {
            if ($this->lock->around($id, static fn(): bool => SharedBlock::discard($id)) === true) {
                ++$removed;
                $freed += $blocks[$id]['size'];
            }
            if ($freed >= $least && $removed >= $count) {
                break;
            }
        }

        return $removed > 0;
    }

    /**
     * @param list<int> $ids
     * @return bool true if any was removed
     */
    private function removeExpired(array $ids): bool
    {
        $removed = 0;
        foreach ($ids as $id) {
            $removed += (int) $this->lock->around($id, function () use ($id): bool {
                $sealed = $this->block->read($id);

                return $sealed !== null && Envelope::isOver($sealed) && $this->block->remove($id);
            });
        }

        return $removed > 0;
    }

    /** @return list<string> a line for each block of any user */
    private static function list(): array
    {
        $lines = Warnings::suppress(static fn(): array|false => file(self::LIST));

        return \array_slice($lines === false ? [] : $lines, 1);
    }

    /** @return float a limit of the kernel; 0.0 if unknown */
    private static function limit(string $name): float
    {
        return (float) Warnings::suppress(static fn(): string|false => file_get_contents('/proc/sys/kernel/' . $name));
    }

    private static function pages(int $bytes): int
    {
        return intdiv($bytes + self::PAGE - 1, self::PAGE) * self::PAGE;
    }

    /**
     * @param array<int, array{size: int, used: int}> $blocks
     * @param int $count of them that matter
     * @return list<int> ids
     */
    private function oldestFirst(array $blocks, int $count): array
    {
        uasort($blocks, static fn(array $one, array $other): int => $one['used'] <=> $other['used']);
        $recent = time() - self::RECENT_SECONDS;
        $old = array_keys(array_filter($blocks, static fn(array $block): bool => $block['used'] < $recent));
        if (\count($old) >= $count) {
            return array_keys($blocks);
        }
        $written = [];
        foreach (array_keys($blocks) as $id) {
            if ($blocks[$id]['used'] >= $recent) {
                $written[$id] = SharedBlock::written($id);
            }
        }
        asort($written);

        return [...$old, ...array_keys($written)];
    }
}

<?php

declare(strict_types=1);

namespace Larder\Driver\Legacy\Shmop;

use Larder\Driver\Common\Envelope;
use Larder\Lock\StripedLock;
use Larder\Process\Quietly;
use Larder\Process\User;

/** The blocks of System V shared memory that this user has, and which of them go when the kernel gives no more. */
final class ShmopBlocks
{
    /** The kernel's list of all blocks. */
    public const LIST = '/proc/sysvipc/shm';

    /** One of so many blocks goes at once. */
    private const SHARE = 16;
    /** Of blocks that were used within the last seconds, which the kernel counts whole, the time of writing decides. */
    private const RECENT_SECONDS = 2;

    private const PAGE = 4096;

    /** Places in a line of the list. */
    private const ID = 0;
    private const SIZE = 3;
    private const USER = 7;
    private const ATTACHED = 11;
    private const CHANGED = 13;

    public function __construct(private readonly StripedLock $lock, private readonly SharedBlock $block) {}

    /** @return array<int, array{size: int, used: int}> by id; size in bytes of whole pages, and the unix time of the last use */
    public static function blocks(): array
    {
        return self::ofThisUser(self::list());
    }

    /**
     * @param list<string> $list
     * @return array<int, array{size: int, used: int}>
     */
    private static function ofThisUser(array $list): array
    {
        $blocks = [];
        $user = User::id();
        foreach ($list as $line) {
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

    /** @return bool whether nothing of this namespace is left */
    public function clear(): bool
    {
        $all = true;
        foreach (array_keys(self::blocks()) as $id) {
            $done = $this->lock->around($id, fn(): bool => ($this->block->read($id, evenUnfinished: true) === null && !SharedBlock::isLeftBehind($id)) || $this->block->remove($id));
            $all = $done === true && $all;
        }

        return $all;
    }

    /**
     * Removes a sixteenth of all of Larder's blocks, those that were used longest ago; of these only what has expired, if
     * there is any. Others are not looked into: to look is to use.
     *
     * @param int $bytes of the block that the kernel did not give
     * @return bool false when nothing could be removed, or not so much
     */
    public function make(int $bytes): bool
    {
        $limit = self::limit('shmmax');
        $list = self::list();
        $blocks = self::ofThisUser($list);
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
     * @return bool whether anything was removed
     */
    private function removeExpired(array $ids): bool
    {
        $removed = 0;
        foreach ($ids as $id) {
            $removed += (int) $this->lock->around($id, fn(): bool => Envelope::hasExpired((string) $this->block->read($id)) && $this->block->remove($id));
        }

        return $removed > 0;
    }

    /** @return list<string> a line for each block, of whichever user */
    private static function list(): array
    {
        $lines = Quietly::run(static fn(): array|false => file(self::LIST));

        return \array_slice($lines === false ? [] : $lines, 1);
    }

    /** @return float one of the kernel's; 0.0 where it does not tell */
    private static function limit(string $name): float
    {
        return (float) Quietly::run(static fn(): string|false => file_get_contents('/proc/sys/kernel/' . $name));
    }

    private static function pages(int $bytes): int
    {
        return intdiv($bytes + self::PAGE - 1, self::PAGE) * self::PAGE;
    }

    /**
     * @param array<int, array{size: int, used: int}> $blocks
     * @param int $count so many are of interest
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

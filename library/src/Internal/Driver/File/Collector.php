<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\File;

use Larder\Internal\Process\Warnings;

/**
 * Reclaims the space of files: some writes remove a few expired ones, and the oldest if the namespace has a limit.
 *
 * No process counts the files. Each of the 256 folders has a 256th of the limit, and a write looks at one folder at
 * most, under its lock. A folder that another process has locked is skipped.
 */
final class Collector
{
    /** One of so many writes with an expiry, or without, looks for expired files in a random folder. */
    private const WRITES_A_LOOK = 32;
    private const LASTING_WRITES_A_LOOK = 256;
    /** Files that it looks at, and the limit as long as a quarter of them has expired. */
    private const FEW = 8;
    private const MANY = 256;

    /** Bytes: a file takes whole blocks. */
    private const BLOCK = 4096;
    /** A folder's size is looked at after about this part of its share was written there. */
    private const SHARE_A_LOOK = 0.25;
    /** Parts of its share: above the first, the oldest files go until the second is reached. */
    private const HIGH = 0.75;
    private const LOW = 0.625;

    private readonly int $share;

    /**
     * @param \Closure(string): bool $isOver true if the first bytes are of a file that has expired, or is damaged
     * @param int $maxBytes of all files of the namespace; 0 for no limit
     */
    public function __construct(private readonly Folders $folders, private readonly \Closure $isOver, int $maxBytes = 0)
    {
        $this->share = $maxBytes === 0 ? 0 : max(1, intdiv($maxBytes, Folders::COUNT));
    }

    /** Call this after each write, without a lock. */
    public function wrote(string $file, int $bytes, bool $expires): void
    {
        // The nanoseconds of the clock are random enough, and cost a tenth of random_int().
        $nanoseconds = (int) hrtime(true);
        if ($nanoseconds % 1021 < 1021 / ($expires ? self::WRITES_A_LOOK : self::LASTING_WRITES_A_LOOK)) {
            $folder = random_int(0, Folders::COUNT - 1);
            $this->folders->locked($folder, fn(): int => $this->removeSome($folder));
        }
        $chance = $this->share === 0 ? 0 : self::blocks($bytes) / (self::SHARE_A_LOOK * $this->share);
        if ($nanoseconds % 4093 / 4093 < $chance) {
            $folder = Folders::of($file);
            $this->folders->locked($folder, fn() => $this->shrink($folder, $file));
        }
    }

    public function prune(): int
    {
        $removed = 0;
        for ($folder = 0; $folder < Folders::COUNT; ++$folder) {
            $removed += (int) $this->folders->locked($folder, function () use ($folder): int {
                $this->folders->removeLeftovers($folder);

                return \count(array_filter($this->folders->values($folder), $this->removed(...)));
            }, waits: true);
        }

        return $removed;
    }

    /** @param int<0, 255> $folder */
    private function removeSome(int $folder): int
    {
        $this->folders->removeLeftovers($folder);
        $files = $this->folders->values($folder);
        $count = \count($files);
        $first = $count === 0 ? 0 : random_int(0, $count - 1); // else it would always be the same
        $removed = 0;
        for ($i = 0; $i < min($count, self::MANY) && ($i < self::FEW || 4 * $removed >= $i); ++$i) {
            $removed += (int) $this->removed($files[($first + $i) % $count]);
        }

        return $removed;
    }

    private function removed(string $file): bool
    {
        $head = $this->folders->head($file);

        return $head !== null && ($this->isOver)($head) && Folders::remove($file);
    }

    /**
     * Removes the files written longest ago, by the second, but never the new one, however large.
     *
     * @param int<0, 255> $folder
     */
    private function shrink(int $folder, string $new): void
    {
        $sizes = [];
        $times = [];
        foreach ($this->folders->values($folder) as $file) {
            $stat = Warnings::suppress(static fn(): array|false => lstat($file));
            if ($stat !== false) {
                $sizes[$file] = self::blocks($stat['size']);
                $times[$file] = $stat['ctime']; // php-file uses mtime as a version
            }
        }
        $sum = array_sum($sizes);
        if ($sum <= self::HIGH * $this->share) {
            return;
        }
        unset($times[$new]);
        asort($times);
        foreach (array_keys($times) as $file) {
            if ($sum <= self::LOW * $this->share) {
                return;
            }
            $sum -= Folders::remove($file) ? $sizes[$file] : 0;
        }
    }

    private static function blocks(int $bytes): int
    {
        return (int) ceil($bytes / self::BLOCK) * self::BLOCK;
    }
}

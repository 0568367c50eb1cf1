<?php

declare(strict_types=1);

namespace Larder\Driver\File;

use Larder\Process\Quietly;

/**
 * Reclaims the space of files: of those that have expired, a few now and then when something is written, and of the oldest
 * where a namespace has a size that it is to keep.
 *
 * No process knows how much there is in all, and none counts: each of the 256 folders has a 256th of the size for itself,
 * and a write looks at one folder at most, under its lock; one that another process holds is left alone.
 */
final class Collector
{
    /** One of so many writes with an expiry looks for expired files, in a random folder. Writes without one do so less often. */
    private const WRITES_A_LOOK = 32;
    private const LASTING_WRITES_A_LOOK = 256;
    /** It looks at so many files there, and at more while a quarter of them has expired. */
    private const FEW = 8;
    private const MANY = 256;
    private const QUARTER = 4;

    /** Bytes: a file takes whole blocks. */
    private const BLOCK = 4096;
    /** A look at a folder's size is due when about this part of its share was written there. */
    private const SHARE_A_LOOK = 0.25;
    /** Parts of its share: what it may have when it is looked at, and what is left of more. */
    private const HIGH = 0.75;
    private const LOW = 0.625;

    private readonly int $share;

    /**
     * @param \Closure(string): bool $isOver whether the first bytes of a file are those of one that has expired, or is
     *        damaged
     * @param int $maxBytes of all files of the namespace; 0 for no limit
     */
    public function __construct(private readonly Folders $folders, private readonly \Closure $isOver, int $maxBytes = 0)
    {
        $this->share = $maxBytes === 0 ? 0 : max(1, intdiv($maxBytes, Folders::COUNT));
    }

    /** To be called after each write, when nothing is locked. */
    public function wrote(string $file, int $bytes, bool $expires): void
    {
        // The nanoseconds of the clock are chance enough, and cost a tenth of random_int().
        $nanoseconds = (int) hrtime(true);
        if ($nanoseconds % 1021 < 1021 / ($expires ? self::WRITES_A_LOOK : self::LASTING_WRITES_A_LOOK)) {
            $folder = random_int(0, Folders::COUNT - 1);
            $this->folders->locked($folder, fn(): int => $this->removeSome($folder));
        }
        if ($this->share > 0 && $nanoseconds % 4093 / 4093 < self::blocks($bytes) / (self::SHARE_A_LOOK * $this->share)) {
            $folder = Folders::of($file);
            $this->folders->locked($folder, fn() => $this->shrink($folder, $file));
        }
    }

    /** @return int how many files of values were removed */
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
        $first = $count === 0 ? 0 : random_int(0, $count - 1); // else it would be the same every time
        $removed = 0;
        for ($i = 0; $i < min($count, self::MANY) && ($i < self::FEW || $removed * self::QUARTER >= $i); ++$i) {
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
     * What was written longest ago goes first, by the second; not what was written just now, however large.
     *
     * @param int<0, 255> $folder
     */
    private function shrink(int $folder, string $new): void
    {
        $sizes = [];
        $times = [];
        foreach ($this->folders->values($folder) as $file) {
            $stat = Quietly::run(static fn(): array|false => lstat($file));
            if ($stat !== false) {
                $sizes[$file] = self::blocks($stat['size']);
                $times[$file] = $stat['ctime']; // not mtime, which some files have for something else
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

<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\File;

use Larder\Internal\Filesystem\GuardedFolder;
use Larder\Internal\Lock\FileLock;
use Larder\Internal\Lock\WaitBudget;
use Larder\Internal\Process\Warnings;

/** The 256 folders of a Directory, each as a whole. */
final class Folders
{
    public const COUNT = 256;

    /** An older temporary file is of a process that died. */
    private const LEFTOVER_SECONDS = 3600;
    private const HASH = '[0-9a-f]{32}';
    private const HEAD = 64;

    public function __construct(
        private readonly GuardedFolder $folder,
        private readonly string $suffix,
        private readonly WaitBudget $waitBudget,
    ) {}

    public static function remove(string $file): bool
    {
        return Warnings::suppress(static function () use ($file): bool {
            if (unlink($file)) {
                return true;
            }
            clearstatcache(true, $file);

            return !file_exists($file);
        });
    }

    /**
     * @param int<0, 255> $folder
     * @return list<string>
     */
    public function values(int $folder): array
    {
        return $this->filesIn($folder, '/^' . self::HASH . '\.' . $this->suffix . '$/D');
    }

    /** @param int<0, 255> $folder */
    public function removeLeftovers(int $folder): void
    {
        $last = time() - self::LEFTOVER_SECONDS;
        $pattern = '/^' . self::HASH . '\.' . $this->suffix . '\.[0-9a-f.]+\.tmp$/D';
        foreach ($this->filesIn($folder, $pattern) as $leftover) {
            if ((int) Warnings::suppress(static fn(): int|false => filemtime($leftover)) < $last) {
                self::remove($leftover);
            }
        }
    }

    public function head(string $file): ?string
    {
        $head = Warnings::suppress(static fn(): string|false => file_get_contents($file, false, null, 0, self::HEAD));

        return $head === false ? null : $head;
    }

    /** @return int<0, 255> */
    public static function of(string $file): int
    {
        return max(0, min(255, (int) hexdec(basename(\dirname($file)))));
    }

    /**
     * Does what Directory::locked() does, for an existing folder.
     *
     * @template T
     * @param int<0, 255> $folder
     * @param \Closure(): T $work
     * @return T|null null if it does not exist, or another process holds the lock
     */
    public function locked(int $folder, \Closure $work, bool $waits = false): mixed
    {
        $path = $this->path($folder);
        if (!$this->folder->isSafe($path . '/.')) {
            return null;
        }
        $handle = Warnings::suppress(static fn(): mixed => fopen($path, 'r'));
        if ($handle === false) {
            return null;
        }

        try {
            $isLocked = $waits
                ? FileLock::acquire($handle, $this->waitBudget) === true
                : flock($handle, \LOCK_EX | \LOCK_NB);

            return $isLocked ? $work() : null;
        } finally {
            fclose($handle);
        }
    }

    /**
     * @param int<0, 255> $folder
     * @return list<string> files in it whose name matches
     */
    private function filesIn(int $folder, string $pattern): array
    {
        $path = $this->path($folder);
        if (!$this->folder->isSafe($path . '/.')) {
            return [];
        }
        $names = Warnings::suppress(static fn(): array|false => scandir($path, \SCANDIR_SORT_NONE));
        $files = [];
        foreach ($names === false ? [] : $names as $name) {
            if (preg_match($pattern, $name) === 1) {
                $files[] = "$path/$name";
            }
        }

        return $files;
    }

    private function path(int $folder): string
    {
        return \sprintf('%s/%02x', $this->folder->path, $folder);
    }
}

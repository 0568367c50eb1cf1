<?php

declare(strict_types=1);

namespace Larder\Driver\File;

use Larder\Filesystem\GuardedFolder;
use Larder\Lock\FileLock;
use Larder\Lock\WaitBudget;
use Larder\Process\Quietly;

/** The 256 folders of a Directory, each as a whole. */
final class Folders
{
    public const COUNT = 256;

    /** A temporary file older than this was left by a process that died. */
    private const LEFTOVER_SECONDS = 3600;
    private const HASH = '[0-9a-f]{32}';
    /** Bytes that head() gives at most. */
    private const HEAD = 64;

    public function __construct(private readonly GuardedFolder $folder, private readonly string $suffix, private readonly WaitBudget $waitBudget) {}

    /** @return bool true when the file is not there any more */
    public static function remove(string $file): bool
    {
        return Quietly::run(static function () use ($file): bool {
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
        foreach ($this->filesIn($folder, '/^' . self::HASH . '\.' . $this->suffix . '\.[0-9a-f.]+\.tmp$/D') as $leftover) {
            if ((int) Quietly::run(static fn(): int|false => filemtime($leftover)) < time() - self::LEFTOVER_SECONDS) {
                self::remove($leftover);
            }
        }
    }

    /** @return string|null the first bytes of a file; null when there is none */
    public function head(string $file): ?string
    {
        $head = Quietly::run(static fn(): string|false => file_get_contents($file, false, null, 0, self::HEAD));

        return $head === false ? null : $head;
    }

    /** @return int<0, 255> */
    public static function of(string $file): int
    {
        return max(0, min(255, (int) hexdec(basename(\dirname($file)))));
    }

    /**
     * As Directory::locked(), of a folder that is there.
     *
     * @template T
     * @param int<0, 255> $folder
     * @param \Closure(): T $work
     * @return T|null null when it is not there, or another process holds the lock
     */
    public function locked(int $folder, \Closure $work, bool $waits = false): mixed
    {
        $path = $this->path($folder);
        $handle = $this->folder->isSafe($path . '/.') ? Quietly::run(static fn(): mixed => fopen($path, 'r')) : false;
        if ($handle === false) {
            return null;
        }

        try {
            return ($waits ? FileLock::acquire($handle, $this->waitBudget) === true : flock($handle, \LOCK_EX | \LOCK_NB)) ? $work() : null;
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
        $names = $this->folder->isSafe($path . '/.') ? Quietly::run(static fn(): array|false => scandir($path, \SCANDIR_SORT_NONE)) : false;

        $files = [];
        foreach ($names === false ? [] : $names as $name) {
            if (preg_match($pattern, $name) === 1) {
                $files[] = $path . '/' . $name;
            }
        }

        return $files;
    }

    private function path(int $folder): string
    {
        return \sprintf('%s/%02x', $this->folder->path, $folder);
    }
}

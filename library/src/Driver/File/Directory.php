<?php

declare(strict_types=1);

namespace Larder\Driver\File;

use Larder\Exception\StoreUnavailable;
use Larder\Filesystem\GuardedFolder;
use Larder\Key\NamespaceName;
use Larder\Lock\FileLock;
use Larder\Lock\WaitBudget;
use Larder\Process\Pid;
use Larder\Process\Quietly;

/**
 * A namespace's directory: one file a key, named by a hash of it, in 256 folders so that none grows large.
 *
 *     <directory>/<namespace>/ab/abcdef…0123.<suffix>
 *
 * Files are written under another name and then renamed: a reader gets the whole old file or the whole new one. The folders are made
 * 0700; GuardedFolder tells when another user could have put something there, which then is neither read nor written over.
 */
final class Directory
{
    /** Bytes. PHP asks nothing about a file of which it is to read so many at most. */
    private const SHORT = 32_767;

    public readonly Folders $folders;
    public readonly WaitBudget $waitBudget;
    public readonly string $path;
    private readonly GuardedFolder $folder;
    /** With the process id in the names of files beside: nobody else has it. */
    private readonly string $nonce;
    private readonly \Closure $ignore;
    private int $written = 0;
    private bool $readsShort = true;

    /**
     * @param string $store the scheme that asks, for its errors
     * @param string $suffix of its files, such as "cache"
     * @throws StoreUnavailable when it cannot be made or written, or another user could change what is there
     */
    public function __construct(string $store, string $directory, string $namespace, private readonly string $suffix)
    {
        NamespaceName::check($namespace);
        $this->waitBudget = new WaitBudget();
        $this->nonce = bin2hex(random_bytes(8));
        $this->ignore = Quietly::ignore(...);
        $this->folder = new GuardedFolder($store, $directory, $namespace);
        $this->path = $this->folder->path;
        $this->folders = new Folders($this->folder, $suffix, $this->waitBudget);
    }

    /** Whether nobody but trusted users can have put a file there. */
    public function isSafe(string $file): bool
    {
        return hrtime(true) < $this->folder->safeUntil || $this->folder->isSafe($file);
    }

    /**
     * Does something with a file while no other process does, by flock() on its folder: the kernel frees it when a process
     * dies. Not to be nested.
     *
     * @template T
     * @param \Closure(): T $work
     * @param bool $orWithout do it too where the file system knows no such locks
     * @return T|null null also when the lock could not be acquired
     */
    public function locked(string $file, \Closure $work, bool $orWithout = false): mixed
    {
        if (!$this->isSafe($file)) {
            return null;
        }
        $path = \dirname($file);

        try {
            set_error_handler($this->ignore);
            $folder = self::opened($path, $path, 'r');
        } finally {
            restore_error_handler();
        }
        if ($folder === false) {
            return $orWithout ? $work() : null;
        }
        $isLocked = FileLock::acquire($folder, $this->waitBudget);
        if ($isLocked !== true) {
            return $isLocked === false && $orWithout ? $work() : null;
        }

        try {
            return $work();
        } finally {
            fclose($folder);
        }
    }

    /**
     * Puts a file in its place while no other process changes it. Where that fails the old one is gone too.
     *
     * @param \Closure(): bool $write
     */
    public function replace(string $file, \Closure $write): bool
    {
        if ($this->locked($file, $write, orWithout: true) === true) {
            return true;
        }
        if ($this->isSafe($file)) {
            Folders::remove($file);
        }

        return false;
    }

    /** @return bool true when the file is not there any more */
    public function delete(string $file): bool
    {
        return $this->locked($file, static fn(): bool => Folders::remove($file), orWithout: true) ?? false;
    }

    public function file(string $key): string
    {
        $hash = hash('xxh128', $key);

        return "$this->path/$hash[0]$hash[1]/$hash.$this->suffix";
    }

    /**
     * Takes the file for a short one, if the last one was: that saves a quarter of PHP's calls of the system, and costs one
     * more reading where it is not.
     *
     * @return string|null null when there is none
     */
    public function read(string $file): ?string
    {
        if (hrtime(true) >= $this->folder->safeUntil && !$this->folder->isSafe($file)) {
            return null;
        }

        // As Quietly::run() does, without a closure: every value is read here.
        try {
            set_error_handler($this->ignore);
            $bytes = file_get_contents($file, false, null, 0, $this->readsShort ? self::SHORT : null);
            if ($this->readsShort && $bytes !== false && \strlen($bytes) === self::SHORT) {
                $bytes = file_get_contents($file);
            }
        } finally {
            restore_error_handler();
        }
        if ($bytes === false) {
            return null;
        }
        $this->readsShort = \strlen($bytes) < self::SHORT;

        return $bytes;
    }

    /**
     * Puts a file in its place, whole or not at all.
     *
     * @param int|null $modified unix time to give the file; null for now
     */
    public function write(string $file, string $bytes, ?int $modified = null): bool
    {
        $process = Pid::own();
        ++$this->written;
        $temporary = "$file.$process.$this->nonce.$this->written.tmp";

        try {
            set_error_handler($this->ignore);
            $handle = self::opened($temporary, \dirname($file), 'x');
            if ($handle === false) {
                return false;
            }
            $isWritten = fwrite($handle, $bytes) === \strlen($bytes);
            $isWritten = fclose($handle) && $isWritten;
            if ($isWritten && ($modified === null || touch($temporary, $modified)) && rename($temporary, $file)) {
                return true;
            }
            unlink($temporary);

            return false;
        } finally {
            restore_error_handler();
        }
    }

    public function clear(): bool
    {
        $all = true;
        foreach ($this->values() as $file) {
            $all = $this->delete($file) && $all;
        }
        for ($folder = 0; $folder < Folders::COUNT; ++$folder) {
            $this->folders->removeLeftovers($folder);
        }

        return $all;
    }

    /** @return iterable<string> */
    public function values(): iterable
    {
        for ($folder = 0; $folder < Folders::COUNT; ++$folder) {
            yield from $this->folders->values($folder);
        }
    }

    /** @return resource|false of a file, or folder, whose folder is made when missing; warns, too */
    private static function opened(string $path, string $folder, string $mode): mixed
    {
        $handle = fopen($path, $mode);
        if ($handle === false) {
            mkdir($folder, 0o700, true);
            $handle = fopen($path, $mode);
        }

        return $handle;
    }
}

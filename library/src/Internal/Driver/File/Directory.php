<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\File;

use Larder\Exception\InvalidKey;
use Larder\Exception\StoreUnavailable;
use Larder\Internal\Filesystem\FolderTree;
use Larder\Internal\Filesystem\GuardedFolder;
use Larder\Internal\Key\NamespaceName;
use Larder\Internal\Lock\FileLock;
use Larder\Internal\Lock\WaitBudget;
use Larder\Internal\Process\Warnings;
use Larder\Key\Key;
use Larder\Process\Pid;

/**
 * A namespace's directory: one file a key, named by its hash, in 256 folders so that none grows large.
 *
 *     <directory>/<namespace>/ab/abcdef…0123.<suffix>
 *
 * Files are written under another name and renamed: a reader gets the whole old file or the whole new one. Folders are
 * created 0700. If another user could have put files there, GuardedFolder notices: none is read or overwritten.
 */
final class Directory
{
    /** Bytes. With a limit no higher, PHP makes no other system calls for a file than to read it. */
    private const SHORT = 32_767;
    private const SHORT_KEY = 1024;

    private static ?bool $isUnreadable = null;

    public readonly string $path;
    private readonly GuardedFolder $folder;
    private readonly \Closure $ignore;
    // A request that only reads needs neither.
    private ?Folders $folders = null;
    private ?WaitBudget $waitBudget = null;
    /** Makes the names of temporary files unique, with the process id. */
    private string $nonce = '';
    private int $written = 0;
    private bool $readsShort = true;

    /**
     * @param string $store scheme in messages
     * @param string $suffix of its files, such as "cache"
     * @throws StoreUnavailable if it cannot be created or written, or another user could change files there
     */
    public function __construct(string $store, string $directory, string $namespace, private readonly string $suffix)
    {
        if ($namespace !== 'larder') { // the default does not load NamespaceName
            NamespaceName::check($namespace);
        }
        $this->ignore = Warnings::ignore(...);
        $this->folder = new GuardedFolder($store, $directory, $namespace);
        $this->path = $this->folder->path;
    }

    public function folders(): Folders
    {
        return $this->folders ??= new Folders($this->folder, $this->suffix, $this->waitBudget());
    }

    public function waitBudget(): WaitBudget
    {
        return $this->waitBudget ??= new WaitBudget();
    }

    /** True if only trusted users can have put a file there. */
    public function isSafe(string $file): bool
    {
        return hrtime(true) < $this->folder->safeUntil || $this->folder->isSafe($file);
    }

    /**
     * Works on a file while no other process does, by flock() on its folder: the kernel frees it when a process dies.
     * Calls must not be nested.
     *
     * @template T
     * @param \Closure(): T $work
     * @param bool $orWithout true to work without a lock if the file system has none
     * @return T|null null also if the lock could not be acquired
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
        $isLocked = FileLock::acquire($folder, $this->waitBudget());
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
     * Writes a file while no other process changes it. If that fails the old one is removed, too.
     *
     * @param \Closure(): bool $write
     */
    public function replace(string $file, \Closure $write): bool
    {
        $isWritten = $this->locked($file, $write, orWithout: true) === true;
        if (!$isWritten && $this->isSafe($file)) {
            Folders::remove($file);
        }

        return $isWritten;
    }

    public function delete(string $file): bool
    {
        return $this->locked($file, static fn(): bool => Folders::remove($file), orWithout: true) ?? false;
    }

    /** @throws InvalidKey */
    public function file(string $key): string
    {
        if ($key === '' || \strlen($key) > self::SHORT_KEY) { // others do not load Key
            Key::check($key);
        }
        $hash = hash('xxh128', $key);

        return "$this->path/$hash[0]$hash[1]/$hash.$this->suffix";
    }

    /**
     * Expects a short file if the last one was short. That saves a quarter of the system calls, and costs one more read
     * if it is long.
     */
    public function read(string $file): ?string
    {
        if (hrtime(true) >= $this->folder->safeUntil && !$this->folder->isSafe($file)) {
            return null;
        }
        // As Warnings::suppress() does, without a closure: every value is read here.
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
     * Writes a file completely or not at all.
     *
     * @param int|null $modified unix time of the file; null for now
     */
    public function write(string $file, string $bytes, ?int $modified = null): bool
    {
        $process = Pid::own();
        $this->nonce = $this->nonce === '' ? bin2hex(random_bytes(8)) : $this->nonce;
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
            if ($isWritten && (self::$isUnreadable ??= self::makesUnreadable())) {
                $isWritten = chmod($temporary, 0o600);
            }
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
            $this->folders()->removeLeftovers($folder);
        }

        return $all;
    }

    /** @return iterable<string> */
    public function values(): iterable
    {
        for ($folder = 0; $folder < Folders::COUNT; ++$folder) {
            yield from $this->folders()->values($folder);
        }
    }

    /**
     * True if the umask takes bits of the owner, so that this user cannot read its own files.
     *
     * @param string $byUmask never passed: see Larder\Process\Pid
     * @param string $byChmod never passed
     */
    private static function makesUnreadable(string $byUmask = 'umask', string $byChmod = 'chmod'): bool
    {
        return \function_exists($byUmask) && \function_exists($byChmod) && (umask() & 0o600) !== 0;
    }

    /** @return resource|false of a file or folder; a missing folder is created. May warn. */
    private static function opened(string $path, string $folder, string $mode): mixed
    {
        $handle = fopen($path, $mode);
        if ($handle === false) {
            FolderTree::make($folder);
            $handle = fopen($path, $mode);
        }

        return $handle;
    }
}

<?php

declare(strict_types=1);

namespace Larder\Store;

use Larder\Exception\StoreUnavailable;
use Larder\Pid;

/**
 * A namespace's directory: one file a key, named by a hash of it, in 256 folders so that none grows large.
 *
 *     <directory>/<namespace>/ab/abcdef…0123.<suffix>
 *
 * Files are written beside and renamed into place: a reader has the old file or the new one, whole. The folders are made
 * 0700, so nobody else reaches the files; a directory that others can write is refused.
 */
final class Directory
{
    /** A temporary file older than this was left by a process that died. */
    private const LEFTOVER_SECONDS = 3600;
    /** Bytes. PHP asks nothing about a file of which it is to read so many at most. */
    private const SHORT = 32_767;
    private const HASH = '[0-9a-f]{32}';

    private readonly string $path;
    /** With the process id in the names of files beside: nobody else has it. */
    private readonly string $nonce;
    private int $written = 0;
    private bool $readsShort = true;

    /**
     * @param string $store the scheme that asks, for its errors
     * @param string $suffix of its files, such as "cache"
     * @throws StoreUnavailable when it cannot be made or written
     */
    public function __construct(string $store, string $directory, string $namespace, private readonly string $suffix)
    {
        NamespaceName::check($namespace);
        $this->nonce = bin2hex(random_bytes(8));
        $path = $directory . '/' . $namespace;
        if (!is_dir($path) && !@mkdir($path, 0o700, true) && !is_dir($path)) {
            throw StoreUnavailable::because($store, \sprintf('the directory %s cannot be made', $path), \sprintf(
                'Make it writable for the user %s: mkdir -p %2$s && chown %1$s %2$s',
                self::userName(),
                escapeshellarg($directory),
            ));
        }
        if (!is_writable($path)) {
            throw StoreUnavailable::because($store, \sprintf('the directory %s is not writable', $path), \sprintf(
                'Let the user %s write there: chown -R %1$s %2$s',
                self::userName(),
                escapeshellarg($path),
            ));
        }
        // Whoever writes there chooses what is unserialized, or run, here.
        clearstatcache(true, $path);
        $owner = fileowner($path);
        if (\function_exists('posix_geteuid') && $owner !== posix_geteuid() && $owner !== 0) {
            throw StoreUnavailable::because($store, \sprintf('the directory %s belongs to another user', $path), \sprintf('Run this as that user, or let %s have a directory of its own', self::userName()));
        }
        if (((int) fileperms($path) & 0o002) !== 0) {
            throw StoreUnavailable::because($store, \sprintf('everybody can write the directory %s', $path), \sprintf('Take that right away: chmod o-w %s', escapeshellarg($path)));
        }
        $this->path = (string) realpath($path);
    }

    /**
     * A directory that only this user can read and write, made when missing.
     *
     * @throws StoreUnavailable when another user was there first
     */
    public static function ofThisUser(string $store, string $parent, string $name): string
    {
        StoreUnavailable::unlessLoaded($store, 'posix', 'common');
        $path = \sprintf('%s/%s-%d', $parent, $name, posix_geteuid());
        if (!@mkdir($path, 0o700) && !file_exists($path)) {
            throw StoreUnavailable::because($store, \sprintf('the directory %s cannot be made', $path), \sprintf('Make %s writable for the user %s', $parent, self::userName()));
        }
        clearstatcache(true, $path);
        if (is_link($path) || !is_dir($path) || fileowner($path) !== posix_geteuid() || (fileperms($path) & 0o077) !== 0) {
            throw StoreUnavailable::because($store, \sprintf('%s is not a directory of the user %s alone', $path, self::userName()), 'Remove it, or make it 0700');
        }

        return $path;
    }

    /**
     * Does something with a file while no other process does, by flock() on its folder: the kernel frees it when a process
     * dies. Not to be nested.
     *
     * @template T
     * @param \Closure(): T $work
     * @param bool $orWithout do it too where the file system knows no such locks
     * @return T|null null also when the lock was not to be had
     */
    public function locked(string $file, \Closure $work, bool $orWithout = false): mixed
    {
        $path = \dirname($file);
        $folder = @fopen($path, 'r');
        if ($folder === false) {
            @mkdir($path, 0o700, true);
            $folder = @fopen($path, 'r');
        }
        if ($folder === false) {
            return $orWithout ? $work() : null;
        }
        $isLocked = FileLock::acquire($folder);
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
        $this->remove($file);

        return false;
    }

    /** @return bool true when the file is not there any more */
    public function delete(string $file): bool
    {
        return $this->locked($file, fn(): bool => $this->remove($file), orWithout: true) ?? false;
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
        $bytes = @file_get_contents($file, length: $this->readsShort ? self::SHORT : null);
        if ($this->readsShort && $bytes !== false && \strlen($bytes) === self::SHORT) {
            $bytes = @file_get_contents($file);
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
        $handle = @fopen($temporary, 'x');
        if ($handle === false) {
            @mkdir(\dirname($file), 0o700, true);
            $handle = @fopen($temporary, 'x');
        }
        if ($handle === false) {
            return false;
        }
        $written = @fwrite($handle, $bytes) === \strlen($bytes);
        $written = fclose($handle) && $written;
        if ($written && $modified !== null) {
            $written = touch($temporary, $modified);
        }
        if ($written && @rename($temporary, $file)) {
            return true;
        }
        @unlink($temporary);

        return false;
    }

    /** @return bool true when the file is not there any more */
    public function remove(string $file): bool
    {
        if (@unlink($file)) {
            return true;
        }
        clearstatcache(true, $file);

        return !file_exists($file);
    }

    public function clear(): bool
    {
        $all = true;
        foreach ($this->values() as $file) {
            $all = $this->delete($file) && $all;
        }
        foreach ($this->files('/^' . self::HASH . '\.' . $this->suffix . '\.[0-9a-f.]+\.tmp$/D') as $leftover) {
            if ((int) @filemtime($leftover) < time() - self::LEFTOVER_SECONDS) {
                $this->remove($leftover);
            }
        }

        return $all;
    }

    /** @return iterable<string> */
    public function values(): iterable
    {
        return $this->files('/^' . self::HASH . '\.' . $this->suffix . '$/D');
    }

    /** @return iterable<string> files of this namespace whose name matches */
    private function files(string $pattern): iterable
    {
        for ($folder = 0; $folder < 256; ++$folder) {
            $path = \sprintf('%s/%02x', $this->path, $folder);
            foreach (is_dir($path) ? (array) @scandir($path) : [] as $name) {
                if (\is_string($name) && preg_match($pattern, $name) === 1) {
                    yield $path . '/' . $name;
                }
            }
        }
    }

    public function path(): string
    {
        return $this->path;
    }

    private static function userName(): string
    {
        if (!\function_exists('posix_getpwuid')) {
            return get_current_user();
        }
        $user = posix_getpwuid(posix_geteuid());

        return $user === false ? (string) posix_geteuid() : $user['name'];
    }
}

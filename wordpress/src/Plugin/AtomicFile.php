<?php

declare(strict_types=1);

namespace Larder\WordPress\Plugin;

/** Replaces a file of PHP code in one step: a process reads the whole old one or the whole new one. */
final class AtomicFile
{
    /** Seconds after which a temporary file belongs to a process that was killed. */
    private const ABANDONED = 60;

    /**
     * Writes a file next to it with its mode and owner (a new file gets those of its folder), and renames that.
     *
     * @param string|null $expected contents that are replaced; null if there is no such file
     * @throws Refused
     */
    public static function write(string $path, string $contents, ?string $expected): void
    {
        $path = is_link($path) ? (string) realpath($path) : $path;
        $folder = \dirname($path);
        self::removeAbandoned($path);
        // It ends in .php, so that a web server runs it and does not show what it contains.
        $temporary = self::prefix($path) . bin2hex(random_bytes(8)) . '.php';
        $mask = umask(0o077);
        $file = @fopen($temporary, 'x');
        umask($mask);
        if ($file === false) {
            throw new Refused(Problem::NotWritable, $path);
        }
        try {
            $isWritten = fwrite($file, $contents) === \strlen($contents) && fflush($file) && fsync($file);
            fclose($file);
            if (!$isWritten) {
                throw new Refused(Problem::NotWritable, $path);
            }
            self::takeOver($temporary, $expected === null ? $folder : $path, $expected !== null);
            clearstatcache(true, $path);
            if (self::contents($path) !== $expected) {
                throw new Refused(Problem::ChangedMeanwhile, $path);
            }
            if (!@rename($temporary, $path)) {
                throw new Refused(Problem::NotWritable, $path);
            }
        } finally {
            @unlink($temporary);
        }
        self::forget($path);
    }

    /** @throws Refused */
    public static function remove(string $path): void
    {
        if (!@unlink($path)) {
            throw new Refused(Problem::NotWritable, $path);
        }
        self::forget($path);
    }

    /** Null if there is no such file. */
    public static function contents(string $path): ?string
    {
        if (!is_file($path) && !is_link($path)) {
            return null;
        }
        $contents = @file_get_contents($path);

        return $contents === false ? '' : $contents;
    }

    /** @throws Refused */
    private static function takeOver(string $file, string $original, bool $isNeeded): void
    {
        $mode = (int) fileperms($original) & ($isNeeded ? 0o777 : 0o666);
        $isDone = fileowner($file) === fileowner($original) || @chown($file, (int) fileowner($original));
        $isDone = (filegroup($file) === filegroup($original) || @chgrp($file, (int) filegroup($original))) && $isDone;
        if (!@chmod($file, $mode) || (!$isDone && $isNeeded)) {
            throw new Refused(Problem::OtherOwner, $original);
        }
    }

    private static function removeAbandoned(string $path): void
    {
        $found = glob(addcslashes(self::prefix($path), '*?[\\') . '*.php');
        foreach ($found === false ? [] : $found as $file) {
            if ((int) @filemtime($file) < time() - self::ABANDONED) {
                @unlink($file);
            }
        }
    }

    private static function prefix(string $path): string
    {
        return substr($path, 0, -4) . '-larder-';
    }

    /** Otherwise opcache may run the old file for some seconds, or forever. */
    private static function forget(string $path): void
    {
        if (\function_exists('opcache_invalidate')) {
            @opcache_invalidate($path, true);
        }
    }
}

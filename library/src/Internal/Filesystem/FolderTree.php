<?php

declare(strict_types=1);

namespace Larder\Internal\Filesystem;

final class FolderTree
{
    /**
     * Creates a folder for this user alone, and missing ones above it.
     *
     * @return bool true if it exists; else PHP's last warning has the reason
     */
    public static function make(string $folder): bool
    {
        if (self::makeOne($folder) || is_dir($folder)) {
            return true;
        }
        $parent = \dirname($folder);

        // Another process may have made the parent just now.
        return $parent !== $folder && (is_dir($parent) || self::make($parent))
            && (self::makeOne($folder) || is_dir($folder));
    }

    /**
     * @return bool true if this process created it, for this user alone; else PHP's last warning has the reason
     * @phpstan-impure
     */
    public static function makeOne(string $folder): bool
    {
        // The umask may have bits of the owner.
        try {
            return mkdir($folder, 0o700) && (((int) fileperms($folder) & 0o700) === 0o700 || chmod($folder, 0o700));
        } catch (\Error) {
            return false; // the host disables chmod()
        }
    }

    /** Best effort. Links are removed, not followed. */
    public static function remove(string $folder): void
    {
        foreach (is_dir($folder) && !is_link($folder) ? (array) scandir($folder) : [] as $name) {
            $path = $folder . '/' . $name;
            if ($name !== '.' && $name !== '..') {
                is_dir($path) && !is_link($path) ? self::remove($path) : @unlink($path);
            }
        }
        @rmdir($folder);
    }
}

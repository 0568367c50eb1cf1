<?php

declare(strict_types=1);

namespace Larder\Filesystem;

/** A folder with all that is below it. */
final class FolderTree
{
    /** Best effort: what cannot be removed stays. Links are removed, not followed. */
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

<?php

declare(strict_types=1);

namespace Larder\Store;

use Larder\Backoff;

/** Waiting for an exclusive flock(). The kernel frees it when its process dies; one that lives and does not go on is not waited for. */
final class FileLock
{
    private const WAIT_SECONDS = 1.0;
    /** Microseconds. */
    private const FIRST_PAUSE = 40;
    private const LONGEST_PAUSE = 1000;

    /**
     * @param resource $file
     * @return bool|null null when it was not to be had in time; false where the file system knows no such locks
     */
    public static function acquire(mixed $file): ?bool
    {
        $backoff = null;
        $isHeld = 0;
        while (!flock($file, \LOCK_EX | \LOCK_NB, $isHeld)) {
            if ($isHeld !== 1) {
                return false;
            }
            $backoff ??= new Backoff(self::FIRST_PAUSE, self::LONGEST_PAUSE, self::WAIT_SECONDS);
            if ($backoff->isOver()) {
                return null;
            }
            $backoff->pause();
        }

        return true;
    }
}

<?php

declare(strict_types=1);

namespace Larder\Internal\Lock;

/** Waits for an exclusive flock() within the WaitBudget. The kernel frees it if its process dies. */
final class FileLock
{
    /** Microseconds. */
    private const FIRST_PAUSE = 40;
    private const LONGEST_PAUSE = 1000;

    /**
     * @param resource $file
     * @return bool|null null if it was not free in time; false if the file system has no such locks
     */
    public static function acquire(mixed $file, WaitBudget $waitBudget): ?bool
    {
        $isHeld = 0;
        if (flock($file, \LOCK_EX | \LOCK_NB, $isHeld)) {
            return true;
        }
        if ($isHeld !== 1) {
            return false;
        }
        $start = hrtime(true);
        $backoff = new Backoff(self::FIRST_PAUSE, self::LONGEST_PAUSE, $waitBudget->seconds());
        do {
            $backoff->pause();
            $isLocked = flock($file, \LOCK_EX | \LOCK_NB);
        } while (!$isLocked && !$backoff->isOver());
        $waitBudget->use((hrtime(true) - $start) / 1e9);

        return $isLocked ? true : null;
    }
}

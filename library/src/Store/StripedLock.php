<?php

declare(strict_types=1);

namespace Larder\Store;

use Larder\Backoff;

/**
 * Exclusive locks between processes: flock() on files that are made when missing and never removed here.
 *
 * The kernel frees a lock when its process dies. Waiting for a process that lives but does not go on is bounded. In a fork
 * the files are opened anew: an inherited one would share its lock with the parent. (A child that never comes here shares
 * it all the same: if the parent is killed while it holds a lock, that is free when the child ends.)
 */
final class StripedLock
{
    private const STRIPES = 32;
    private const WAIT_SECONDS = 1.0;
    /** Microseconds. */
    private const FIRST_PAUSE = 40;
    private const LONGEST_PAUSE = 1000;

    /** @var array<int, resource> by stripe */
    private array $files = [];
    /** @var array<int, true> by stripe: a signal's handler may come here too */
    private array $held = [];
    private int $process = 0;

    /** @param string $directory that only this user can write; made when missing */
    public function __construct(private readonly string $directory) {}

    /**
     * Does something while no other process does anything under that number. Not to be nested.
     *
     * @template T
     * @param \Closure(): T $work
     * @param bool $orWithout do it too where the file system knows no such locks
     * @return T|null null also when the lock was not to be had in time
     * @phpstan-impure
     */
    public function around(int $number, \Closure $work, bool $orWithout = false): mixed
    {
        $stripe = $number % self::STRIPES;
        if ($this->process !== getmypid()) {
            $this->process = (int) getmypid();
            $this->files = $this->held = [];
        }
        if (isset($this->held[$stripe])) {
            return null;
        }
        $this->held[$stripe] = true;

        try {
            $file = $this->locked($stripe);

            return $file === null || ($file === false && !$orWithout) ? null : $work();
        } finally {
            if (isset($this->files[$stripe])) {
                flock($this->files[$stripe], \LOCK_UN);
            }
            unset($this->held[$stripe]);
        }
    }

    /** @return resource|false|null null when it was not to be had in time; false where there are no such locks */
    private function locked(int $stripe): mixed
    {
        $backoff = null;
        $start = 0;
        $isHeld = 0;
        while (true) {
            $file = $this->files[$stripe] ?? $this->opened($stripe);
            if ($file === false) {
                return false;
            }
            $this->files[$stripe] = $file;
            if (flock($file, \LOCK_EX | \LOCK_NB, $isHeld)) {
                if ((fstat($file)['nlink'] ?? 0) > 0) {
                    return $file;
                }
                unset($this->files[$stripe]); // somebody has removed the file: others would lock another one
                continue;
            }
            if ($isHeld !== 1) {
                return false;
            }
            $start = $start === 0 ? hrtime(true) : $start;
            $left = 1e9 * self::WAIT_SECONDS - (hrtime(true) - $start);
            if ($left <= 0) {
                return null;
            }
            $backoff ??= new Backoff(self::FIRST_PAUSE, self::LONGEST_PAUSE);
            $backoff->pause($left);
        }
    }

    /** @return resource|false */
    private function opened(int $stripe): mixed
    {
        $path = \sprintf('%s/%d.lock', $this->directory, $stripe);
        // "e": what this process executes must not keep the lock when this process dies.
        $file = @fopen($path, 'ce');
        if ($file === false) {
            @mkdir($this->directory, 0o700, true);
            $file = @fopen($path, 'ce');
        }

        return $file;
    }
}

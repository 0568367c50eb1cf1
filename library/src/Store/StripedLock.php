<?php

declare(strict_types=1);

namespace Larder\Store;

/**
 * Exclusive locks between processes: flock() on files that are made when missing and never removed here.
 *
 * The kernel frees a lock when its process dies. Waiting for a process that lives but does not go on is bounded. One lock
 * is held at a time. In a fork the files are opened anew: an inherited one would share its lock with the parent.
 */
final class StripedLock
{
    private const STRIPES = 32;
    private const WAIT_SECONDS = 1.0;

    /** @var array<int, resource> by stripe */
    private array $files = [];
    private int $process = 0;

    /** @param string $directory that only this user can write */
    public function __construct(private readonly string $directory) {}

    /** @return resource|null to be given to release(); null when it was not to be had in time */
    public function acquire(int $number): mixed
    {
        $stripe = $number % self::STRIPES;
        if ($this->process !== getmypid()) {
            $this->process = (int) getmypid();
            $this->files = [];
        }
        $end = null;
        $pause = 20;
        while (true) {
            $file = $this->files[$stripe] ?? @fopen(\sprintf('%s/%d.lock', $this->directory, $stripe), 'c');
            if ($file === false) {
                return null;
            }
            $this->files[$stripe] = $file;
            if (flock($file, \LOCK_EX | \LOCK_NB)) {
                if ((fstat($file)['nlink'] ?? 0) > 0) {
                    return $file;
                }
                unset($this->files[$stripe]); // somebody has removed the file: others would lock another one
                continue;
            }
            $end ??= microtime(true) + self::WAIT_SECONDS;
            if (microtime(true) > $end) {
                return null;
            }
            usleep($pause);
            $pause = min(2 * $pause, 1000);
        }
    }

    /** @param resource $lock */
    public function release(mixed $lock): void
    {
        flock($lock, \LOCK_UN);
    }
}

<?php

declare(strict_types=1);

namespace Larder\Internal\Lock;

use Larder\Internal\Process\Warnings;
use Larder\Process\Pid;

/**
 * Exclusive locks between processes (see FileLock) on files that are created when missing and never removed here. After
 * a fork they are opened again, because an inherited descriptor shares its lock with the parent. (A child that never
 * locks shares it too: if the parent is killed while it holds a lock, that is free when the child ends.)
 */
final class StripedLock
{
    private const STRIPES = 32;
    /** Tries to recreate a file that was removed while it was being locked. */
    private const TRIES = 3;

    /** @var array<int, resource> by stripe */
    private array $files = [];
    private int $process = 0;

    /** @param string $directory that only this user can write */
    public function __construct(
        private readonly string $directory,
        public readonly WaitBudget $waitBudget = new WaitBudget(),
    ) {}

    /**
     * Does something while no other process does anything under that number. Must not be nested.
     *
     * @template T
     * @param \Closure(): T $work
     * @return T|null null also if the lock was not free in time
     * @phpstan-impure
     */
    public function around(int $number, \Closure $work): mixed
    {
        if ($this->process !== Pid::own()) {
            $this->process = Pid::own();
            $this->files = [];
        }
        $file = $this->locked($number % self::STRIPES);
        if ($file === null) {
            return null;
        }

        try {
            return $work();
        } finally {
            // A child that was forked by $work must not free what its parent holds.
            if ($this->process === Pid::own()) {
                flock($file, \LOCK_UN);
            }
        }
    }

    /** @return resource|null null if it was not free in time */
    private function locked(int $stripe): mixed
    {
        for ($try = 0; $try < self::TRIES; ++$try) {
            $file = $this->files[$stripe] ?? $this->opened($stripe);
            if ($file === false) {
                return null;
            }
            $this->files[$stripe] = $file;
            if (FileLock::acquire($file, $this->waitBudget) !== true) {
                return null;
            }
            if ((fstat($file)['nlink'] ?? 0) > 0) {
                return $file;
            }
            unset($this->files[$stripe]); // the file was removed, so others would lock another one
        }

        return null;
    }

    /** @return resource|false */
    private function opened(int $stripe): mixed
    {
        // "e": what this process executes must not keep the lock when this process dies.
        return Warnings::suppress(fn(): mixed => fopen(\sprintf('%s/%d.lock', $this->directory, $stripe), 'ce'));
    }
}

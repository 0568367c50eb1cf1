<?php

declare(strict_types=1);

namespace Larder\Decorator\Sampling;

use Larder\Exception\StoreUnavailable;
use Larder\Filesystem\UserFolder;
use Larder\Process\Quietly;

/** The one file of this user on this machine in which all processes add up their samples. */
final class RecordingFile
{
    private const TRIES = 5;
    private const LONGEST_PAUSE = 200;

    private function __construct(public readonly string $path) {}

    /** @throws StoreUnavailable when there is no place for it that is safe from other users */
    public static function ofThisUser(): self
    {
        return self::in(UserFolder::find('sample', UserFolder::parent(), 'larder-sample'));
    }

    /** @param string $directory that nobody else can change */
    public static function in(string $directory): self
    {
        return new self($directory . '/recording.json');
    }

    /** @phpstan-impure */
    public function read(): Recording
    {
        return Quietly::run(function (): Recording {
            $handle = fopen($this->path, 'r');
            if ($handle === false) {
                return Recording::empty();
            }
            flock($handle, \LOCK_SH); // until the handle is closed

            return Recording::parse((string) stream_get_contents($handle)) ?? Recording::empty();
        });
    }

    /**
     * Waits a millisecond at most: a visitor waits too. A damaged file is replaced.
     *
     * @param \Closure(Recording): Recording $change
     * @return bool false when it could not be written
     */
    public function change(\Closure $change): bool
    {
        return Quietly::run(function () use ($change): bool {
            $handle = fopen($this->path, 'c+');
            if ($handle === false) {
                return false;
            }

            try {
                if (!self::lock($handle)) {
                    return false;
                }
                $line = (string) $change(Recording::parse((string) stream_get_contents($handle)) ?? Recording::empty());

                return rewind($handle) && fwrite($handle, $line) === \strlen($line) && ftruncate($handle, \strlen($line));
            } finally {
                fclose($handle);
            }
        });
    }

    /** @return bool false when it could not be removed */
    public function remove(): bool
    {
        return Quietly::run(fn(): bool => !file_exists($this->path) || unlink($this->path));
    }

    /** @param resource $handle */
    private static function lock(mixed $handle): bool
    {
        for ($try = 1; $try <= self::TRIES; ++$try) {
            if (flock($handle, \LOCK_EX | \LOCK_NB)) {
                return true;
            }
            usleep(random_int(20, self::LONGEST_PAUSE));
        }

        return false;
    }
}

<?php

declare(strict_types=1);

namespace Larder\Internal\Decorator\Sampling;

use Larder\Exception\StoreUnavailable;
use Larder\Internal\Filesystem\UserFolder;
use Larder\Internal\Process\Functions;
use Larder\Internal\Process\Warnings;

/** The file of this user on this machine in which all processes add up their samples. */
final class RecordingFile
{
    private const TRIES = 5;
    private const LONGEST_PAUSE = 200;

    private function __construct(public readonly string $path) {}

    /** @throws StoreUnavailable if there is no place for it that is safe from other users */
    public static function ofThisUser(): self
    {
        return self::in(UserFolder::find('sample', UserFolder::parent(), 'larder-sample'));
    }

    /** @param string $directory that no other user can change */
    public static function in(string $directory): self
    {
        return new self($directory . '/recording.json');
    }

    /** @phpstan-impure */
    public function read(): Recording
    {
        return Warnings::suppress(function (): Recording {
            $handle = $this->open('r');
            if ($handle === null) {
                return Recording::empty();
            }
            flock($handle, \LOCK_SH); // until the handle is closed

            return self::parse($handle);
        });
    }

    /**
     * Waits a millisecond at most, since a visitor waits. Replaces a damaged file.
     *
     * @param \Closure(Recording): Recording $change
     * @return bool false if it could not be written
     */
    public function change(\Closure $change): bool
    {
        return Warnings::suppress(function () use ($change): bool {
            $handle = $this->open('c+');
            if ($handle === null) {
                return false;
            }

            try {
                if (!self::lock($handle)) {
                    return false;
                }
                $line = (string) $change(self::parse($handle));

                $length = \strlen($line);

                return rewind($handle) && fwrite($handle, $line) === $length && ftruncate($handle, $length);
            } finally {
                fclose($handle);
            }
        });
    }

    /** @return bool false if it could not be removed */
    public function remove(): bool
    {
        return Warnings::suppress(fn(): bool => !file_exists($this->path) || unlink($this->path));
    }

    /** @return resource|null null if it cannot be opened, or is no file: a pipe would stop a request */
    private function open(string $mode): mixed
    {
        clearstatcache();
        $handle = is_file($this->path) || !file_exists($this->path) ? fopen($this->path, $mode) : false;

        return $handle === false ? null : $handle;
    }

    /** @param resource $handle */
    private static function parse(mixed $handle): Recording
    {
        return Recording::parse((string) stream_get_contents($handle, Recording::LONGEST + 1)) ?? Recording::empty();
    }

    /** @param resource $handle */
    private static function lock(mixed $handle): bool
    {
        for ($try = 1; $try <= self::TRIES; ++$try) {
            if (flock($handle, \LOCK_EX | \LOCK_NB)) {
                return true;
            }
            Functions::sleep(random_int(20, self::LONGEST_PAUSE));
        }

        return false;
    }
}

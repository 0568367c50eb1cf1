<?php

declare(strict_types=1);

namespace Larder\Internal\Decorator\Breaker;

use Larder\Exception\StoreUnavailable;
use Larder\Internal\Filesystem\UserFolder;
use Larder\Internal\Process\Functions;
use Larder\Internal\Process\Warnings;

/**
 * The record of an outage. It is in a file of this user, which exists only during an outage, or in this object alone.
 * If another process holds the file and does not go on, this object's own knowledge counts.
 */
final class OutageRecord
{
    private const TRIES = 20;
    /** Seconds after which the file of a server that nobody asks is removed. */
    private const FORGOTTEN = 86_400;

    /** As last seen; null if there was no outage. */
    private ?Outage $own = null;
    /** True if the file could not be written. A missing file then means nothing. */
    private bool $isAlone = false;

    /**
     * @param string|null $file null to keep the record in this object
     * @param string|null $name name of a file in this user's folder, which is looked up if there may be one
     */
    public function __construct(private ?string $file = null, private ?string $name = null) {}

    /**
     * A record that all processes of this user on this machine share; none do if the file cannot be written.
     *
     * @param string $server identifies the server and the connection to it
     */
    public static function ofThisUser(string $server): self
    {
        return new self(name: hash('xxh128', $server));
    }

    /** False if nothing is recorded, which needs no opening of a file. Then there is no outage. */
    public function isThere(): bool
    {
        $name = $this->name;

        return $this->own !== null || $this->file !== null
            || ($name !== null && UserFolder::mayHold(UserFolder::AWAY, static fn(): string => $name));
    }

    /** The record of requests that this server refuses although it answers. They are no outage. */
    public function ofRequests(): self
    {
        return $this->name !== null ? new self(name: $this->name . '-requests')
            : new self($this->file === null ? null : $this->file . '-requests');
    }

    public function read(): Outage
    {
        $file = $this->file();
        if ($file === null) {
            return $this->own ??= new Outage();
        }
        $handle = Warnings::suppress(static fn(): mixed => fopen($file, 'r'));
        if ($handle === false) {
            return $this->isAlone && $this->own !== null ? $this->own : $this->own = new Outage();
        }
        // Locked, so that no half-written line is read.
        if (self::lock($handle, \LOCK_SH)) {
            $this->own = Outage::parse((string) stream_get_contents($handle));
        }
        fclose($handle);

        return $this->own ??= new Outage();
    }

    /**
     * Changes the record under a lock.
     *
     * @param \Closure(Outage): Outage $change
     * @return Outage as it was before
     */
    public function change(\Closure $change): Outage
    {
        $handle = false;
        $file = null;
        for ($try = 0; $handle === false && $try < 2; ++$try) { // another process may remove the folder just now
            $this->file = $this->name === null ? $this->file : null; // or did so since
            $file = $this->file();
            $handle = $file === null ? false : $this->lockedFile($file);
        }
        if ($file === null || $handle === false) {
            $before = $this->own ?? new Outage();
            $this->own = $change($before);
            $this->isAlone = true;

            return $before;
        }

        try {
            $line = (string) stream_get_contents($handle);
            $before = $line === '' && $this->isAlone && $this->own !== null ? $this->own : Outage::parse($line);
            $this->own = $change($before);
            $this->isAlone = $this->own->failures > 0 && !self::write($handle, (string) $this->own);
            if ($this->isAlone || $this->own->failures === 0) {
                unlink($file);
                // Without a folder, a request learns by one system call that no server is out.
                $this->name === null || Warnings::suppress(static fn(): bool => rmdir(\dirname($file)));
            } elseif ($before->failures === 0) {
                self::forget(\dirname($file));
            }

            return $before;
        } finally {
            fclose($handle);
        }
    }

    private function file(): ?string
    {
        if ($this->file === null && $this->name !== null) {
            try {
                $this->file = UserFolder::find('away', UserFolder::parent(), UserFolder::AWAY) . '/' . $this->name;
            } catch (StoreUnavailable) {
                $this->name = null; // keep it in this object alone
            }
        }

        return $this->file;
    }

    /**
     * @param resource $handle
     * @return bool false if the disk is full
     */
    private static function write(mixed $handle, string $line): bool
    {
        rewind($handle);
        ftruncate($handle, 0);

        return Warnings::suppress(static fn(): int|false => fwrite($handle, $line)) === \strlen($line);
    }

    /** @return resource|false */
    private function lockedFile(string $file): mixed
    {
        do {
            $handle = Warnings::suppress(static fn(): mixed => fopen($file, 'c+'));
            if ($handle === false || !self::lock($handle, \LOCK_EX)) {
                return false;
            }
            $isRemoved = (fstat($handle)['nlink'] ?? 0) === 0;
            if ($isRemoved) {
                fclose($handle);
            }
        } while ($isRemoved);

        return $handle;
    }

    private static function forget(string $directory): void
    {
        Warnings::suppress(static function () use ($directory): void {
            foreach ((array) glob($directory . '/*') as $file) {
                if ((int) filemtime((string) $file) < time() - self::FORGOTTEN) {
                    unlink((string) $file);
                }
            }
        });
    }

    /**
     * Waits some milliseconds at most. A process holds the lock for microseconds, unless it was stopped.
     *
     * @param resource $handle
     * @param \LOCK_SH|\LOCK_EX $kind
     */
    private static function lock(mixed $handle, int $kind): bool
    {
        for ($try = 0; $try < self::TRIES; ++$try) {
            if (flock($handle, $kind | \LOCK_NB)) {
                return true;
            }
            Functions::sleep(random_int(50, 500));
        }

        return false;
    }
}

<?php

declare(strict_types=1);

namespace Larder\Cli\System;

use Symfony\Component\Process\Process;

/**
 * A private directory (0700), removed with its content by remove() or with this object. In a fork of its creator, this
 * object does nothing. Its path is short, because Unix sockets are created in it.
 *
 * A killed process leaves its directory behind. The next process that creates one in the same parent removes it.
 */
final class TemporaryDirectory
{
    /** Locked while the creator lives. */
    private const LOCK = '.in-use';

    /** Number of attempts to remove a directory. */
    private const TRIES = 10;

    public readonly string $path;
    private readonly int $maker;

    /** @var resource|null */
    private $lock;

    /** @throws \RuntimeException when the parent is not writable */
    public function __construct(?string $parent = null)
    {
        $parent = rtrim($parent ?? sys_get_temp_dir(), '/');
        $this->maker = (int) getmypid();
        $this->path = \sprintf('%s/larder-cli-%d-%s', $parent, $this->maker, bin2hex(random_bytes(4)));

        try {
            $made = @mkdir($this->path, 0o700);
            if ($made) {
                $this->markAsUsed();
                self::removeLeftovers($parent);
            }
        } catch (\Throwable $interruption) { // a signal handler may throw anywhere, and nobody has this object yet
            $this->remove();

            throw $interruption;
        }
        if (!$made) {
            throw new \RuntimeException(\sprintf('%s: cannot create a directory there', $parent));
        }
    }

    public function __destruct()
    {
        $this->remove();
    }

    /** @return string the path of the new file */
    public function write(string $name, string $content): string
    {
        file_put_contents($this->path . '/' . $name, $content);

        return $this->path . '/' . $name;
    }

    /** @return string the path of the new directory */
    public function add(string $name): string
    {
        if (!is_dir($this->path . '/' . $name)) {
            mkdir($this->path . '/' . $name, 0o700);
        }

        return $this->path . '/' . $name;
    }

    public function remove(): void
    {
        if (getmypid() === $this->maker && is_dir($this->path)) {
            self::removeTree($this->path);
            if ($this->lock !== null) {
                fclose($this->lock);
                $this->lock = null;
            }
        }
    }

    private function markAsUsed(): void
    {
        $file = $this->path . '/' . self::LOCK;
        $lock = fopen($file . '.new', 'ce');
        if ($lock !== false && flock($lock, \LOCK_EX)) {
            $this->lock = $lock;
            rename($file . '.new', $file);
        }
    }

    private static function removeLeftovers(string $parent): void
    {
        foreach ((array) glob($parent . '/larder-cli-*/' . self::LOCK) as $file) {
            // Without warnings: its owner may just have removed it.
            $isOurs = \function_exists('posix_geteuid') && @fileowner((string) $file) === posix_geteuid();
            $lock = $isOurs ? @fopen((string) $file, 'r') : false;
            if ($lock !== false && flock($lock, \LOCK_EX | \LOCK_NB)) {
                self::removeTree(\dirname((string) $file));
            }
        }
    }

    /**
     * Tries again if files remain, since a process that was just killed may still have created one. There is no time
     * limit: a large directory on a busy disk may need minutes.
     */
    private static function removeTree(string $path): void
    {
        for ($tries = 0; (new Process(
            ['rm', '-rf', '--', $path],
            timeout: null,
        ))->run() !== 0 && $tries < self::TRIES; ++$tries) {
            usleep(20_000);
        }
    }
}

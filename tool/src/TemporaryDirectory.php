<?php

declare(strict_types=1);

namespace Larder\Tool;

use Symfony\Component\Process\Process;

/**
 * A directory of this process alone (0700), removed with all that is in it by remove() or with this object.
 * In a fork of its maker this object does nothing. Its path is short: unix sockets are made in it.
 *
 * A process that is killed leaves its directory behind; the next that makes one in the same parent removes it.
 */
final class TemporaryDirectory
{
    /** Locked as long as the maker lives. */
    private const LOCK = '.in-use';

    public readonly string $path;
    private readonly int $maker;

    /** @var resource|null */
    private $lock;

    /** @throws \RuntimeException when the parent is not writable */
    public function __construct(?string $parent = null)
    {
        $parent = rtrim($parent ?? sys_get_temp_dir(), '/');
        $path = \sprintf('%s/larder-tool-%d-%s', $parent, (int) getmypid(), bin2hex(random_bytes(4)));
        if (!@mkdir($path, 0o700)) {
            throw new \RuntimeException(\sprintf('%s: no directory can be made there', $parent));
        }
        $this->path = $path;
        $this->maker = (int) getmypid();
        $lock = fopen($path . '/' . self::LOCK . '.new', 'c');
        if ($lock !== false && flock($lock, \LOCK_EX)) {
            $this->lock = $lock;
            rename($path . '/' . self::LOCK . '.new', $path . '/' . self::LOCK);
        }
        self::removeLeftovers($parent);
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

    private static function removeLeftovers(string $parent): void
    {
        foreach ((array) glob($parent . '/larder-tool-*/' . self::LOCK) as $file) {
            $isOurs = \function_exists('posix_geteuid') && fileowner((string) $file) === posix_geteuid();
            $lock = $isOurs ? fopen((string) $file, 'r') : false;
            if ($lock !== false && flock($lock, \LOCK_EX | \LOCK_NB)) {
                self::removeTree(\dirname((string) $file));
            }
        }
    }

    private static function removeTree(string $path): void
    {
        (new Process(['rm', '-rf', '--', $path]))->run();
    }
}

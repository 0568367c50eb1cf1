<?php

declare(strict_types=1);

namespace Larder\Tool;

use Symfony\Component\Process\Process;

/**
 * A directory of this process alone (0700), removed with all that is in it by remove() or with this object.
 * In a fork of its maker this object does nothing. Its path is short: unix sockets are made in it.
 */
final class TemporaryDirectory
{
    public readonly string $path;
    private readonly int $maker;

    /** @throws \RuntimeException when the parent is not writable */
    public function __construct(?string $parent = null)
    {
        $parent ??= sys_get_temp_dir();
        $path = \sprintf('%s/larder-tool-%s', rtrim($parent, '/'), bin2hex(random_bytes(5)));
        if (!@mkdir($path, 0o700)) {
            throw new \RuntimeException(\sprintf('%s: no directory can be made there', $parent));
        }
        $this->path = $path;
        $this->maker = (int) getmypid();
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
            (new Process(['rm', '-rf', '--', $this->path]))->run();
        }
    }
}

<?php

declare(strict_types=1);

namespace Larder\Tool\Tests;

use Symfony\Component\Filesystem\Filesystem;

/** A directory for one test, removed with this object. Its path is short: unix sockets are made in it. */
final class TemporaryDirectory
{
    public readonly string $path;

    public function __construct()
    {
        $this->path = \sprintf('%s/larder-test-%s', sys_get_temp_dir(), bin2hex(random_bytes(4)));
        mkdir($this->path, 0o700);
    }

    public function __destruct()
    {
        (new Filesystem())->remove($this->path);
    }

    /** @return string the file's path */
    public function write(string $name, string $content): string
    {
        file_put_contents($this->path . '/' . $name, $content);

        return $this->path . '/' . $name;
    }
}

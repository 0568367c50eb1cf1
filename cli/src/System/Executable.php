<?php

declare(strict_types=1);

namespace Larder\Cli\System;

use Symfony\Component\Process\ExecutableFinder;
use Symfony\Component\Process\Process;

/** A program of this machine. */
final class Executable
{
    /** Folders in which distributions install servers; often missing from the PATH of users other than root. */
    private const SERVER_DIRECTORIES = ['/usr/sbin', '/usr/local/sbin', '/sbin'];

    private function __construct(public readonly string $path) {}

    /**
     * @param non-empty-list<string> $names the first that exists is taken; a name is looked up in PATH, a path is not
     * @param string $package the Debian package that contains it
     * @throws ServerFailed names the package, if no name is found
     */
    public static function find(array $names, string $package): self
    {
        $finder = new ExecutableFinder();
        foreach ($names as $name) {
            $path = str_contains($name, '/') ? $name : $finder->find($name, null, self::SERVER_DIRECTORIES);
            if ($path !== null && is_file($path) && is_executable($path)) {
                return new self($path);
            }
        }

        throw new ServerFailed(\sprintf('%s is not installed. To add it: apt-get install %s', $names[0], $package));
    }

    /** The version that the program prints, the number alone: "1.6.18". Empty if it prints none. */
    public function version(string $option = '--version'): string
    {
        $process = new Process([$this->path, $option]);
        $process->run();

        return preg_match('/\d+\.\d+(\.\d+)*/', $process->getOutput() . $process->getErrorOutput(), $match) === 1
            ? $match[0]
            : '';
    }
}

<?php

declare(strict_types=1);

namespace Larder\ProjectTests;

use Larder\Tests\PhpProcess;
use Symfony\Component\Process\Process;

/** The work tree under test, and ways to start its parts. */
final class Repository
{
    public const ROOT = __DIR__ . '/..';

    /**
     * Returns a process that is not started yet. It runs in the root folder without standard input.
     *
     * @param list<string> $command
     * @param array<string, string|false> $environment in addition to that of the tests; false removes a variable
     */
    public static function process(array $command, array $environment = [], float $timeout = 300): Process
    {
        return new Process($command, self::ROOT, $environment, null, $timeout);
    }

    /**
     * Runs PHP like a user of a clone: with the engine built here, and APCu.
     *
     * @param list<string> $arguments
     */
    public static function php(array $arguments, string $directory = self::ROOT): Process
    {
        $settings = ['-d', 'apc.enable_cli=1', '-d', 'display_errors=stderr', '-d', 'log_errors=0', '-d', 'error_reporting=-1'];

        return new Process([...PhpProcess::commandWithEngine(), ...$settings, ...$arguments], $directory, null, null, 300);
    }

    /** @return string a folder for PATH, with every command of this machine except one */
    public static function folderOfCommandsBut(string $command, string $folder): string
    {
        if (!is_dir($folder)) {
            mkdir($folder, recursive: true);
        }
        foreach (['/bin', '/usr/bin', '/usr/local/bin'] as $directory) {
            foreach ((array) glob("$directory/*") as $file) {
                $name = basename((string) $file);
                if ($name !== $command && !is_link("$folder/$name")) {
                    symlink((string) $file, "$folder/$name");
                }
            }
        }

        return $folder;
    }

    /** @return list<string> pages for readers, as paths from the root */
    public static function pages(): array
    {
        $pages = [];
        foreach (['*.md', 'docs/*.md', '*/README.md', 'compat/*/README.md'] as $pattern) {
            foreach ((array) glob(self::ROOT . "/$pattern") as $page) {
                $pages[] = substr((string) $page, \strlen(self::ROOT) + 1);
            }
        }

        return array_values(array_unique($pages));
    }
}

<?php

declare(strict_types=1);

namespace Larder\Tests;

use Composer\Autoload\ClassLoader;
use Symfony\Component\Process\Process;

/** A PHP process of another user of this machine. Needs root. */
final class OtherUser
{
    /** The user who runs Larder. */
    public const VICTIM = 33;
    /** The neighbour. */
    public const STRANGER = 65_534;

    private static ?bool $loads = null;

    /**
     * @param string $code without the opening tag; Larder's classes are available
     * @param list<string> $options of php
     * @param string $before shell commands to run before it
     * @return string its output, with errors
     */
    public static function run(int $user, string $code, array $options = [], string $before = ':'): string
    {
        $process = self::start($user, $code, $options, $before);
        $process->wait();

        return $process->getOutput();
    }

    /** @param list<string> $options */
    public static function start(int $user, string $code, array $options = [], string $before = ':'): Process
    {
        $load = \sprintf('spl_autoload_register(static function (string $class): void {
            foreach (["Larder\\\\" => "larder", "Psr\\\\Log\\\\" => "log", "Psr\\\\Cache\\\\" => "cache", "Psr\\\\SimpleCache\\\\" => "simple-cache"] as $prefix => $folder) {
                if (str_starts_with($class, $prefix)) { include %s . "/$folder/" . strtr(substr($class, strlen($prefix)), "\\\\", "/") . ".php"; }
            }
        });', var_export(self::library(), true));
        $process = new Process([
            'setpriv', '--reuid', (string) $user, '--regid', (string) $user, '--clear-groups', '--pdeathsig', 'KILL',
            '--',
            'sh', '-c', $before . '; exec "$@" 2>&1', 'sh', \PHP_BINARY, ...$options, '-d', 'display_errors=1', '-r',
            $load . $code,
        ], env: ['TMPDIR' => '/tmp'], timeout: 300.0); // the tests' own TMPDIR is theirs alone
        $process->start();

        return $process;
    }

    /**
     * Changes the effective user of this process until posix_seteuid(0). Root still loads the classes, which others may
     * not reach.
     */
    public static function become(int $user): void
    {
        self::$loads ??= spl_autoload_register(static function (string $class): void {
            $user = posix_geteuid();
            posix_seteuid(0);
            foreach (ClassLoader::getRegisteredLoaders() as $loader) {
                $loader->loadClass($class);
            }
            posix_seteuid($user);
        }, prepend: true);
        if (!posix_seteuid(0) || !posix_seteuid($user)) {
            throw new \RuntimeException("It takes root to become user $user");
        }
    }

    /** Lets other users enter a folder of the tests. */
    public static function letThrough(string $folder): void
    {
        for (; $folder !== '/'; $folder = \dirname($folder)) {
            if (((int) fileperms($folder) & 0o001) === 0) {
                chmod($folder, 0o711);
            }
        }
    }

    /**
     * @return string a folder with a copy of the library and the interfaces of PSR; other users may not reach the clone
     */
    public static function library(): string
    {
        $copy = Servers::directory('library');
        if (is_dir($copy . '/larder')) {
            return $copy;
        }
        self::letThrough($copy);
        $sources = ['larder' => \dirname(__DIR__) . '/src'];
        foreach (['log', 'cache', 'simple-cache'] as $package) {
            $sources[$package] = \dirname(__DIR__, 2) . "/vendor/psr/$package/src";
        }
        foreach ($sources as $name => $source) {
            (new Process(['cp', '-r', $source, "$copy/$name"]))->mustRun();
        }
        (new Process(['chmod', '-R', 'go+rX', $copy]))->mustRun();

        return $copy;
    }
}

<?php

declare(strict_types=1);

namespace Larder\Tests;

use Symfony\Component\Process\Process;

/** A PHP process of another user of this machine. It takes root to start one. */
final class OtherUser
{
    /** The user who runs Larder. */
    public const VICTIM = 33;
    /** The neighbour. */
    public const STRANGER = 65_534;

    /**
     * @param string $code without the opening tag; Larder's classes are there
     * @param list<string> $options of php
     * @param string $before commands of the shell that starts it
     * @return string what it printed, errors too
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
        // Composer's own loader reads files of packages that only root may read.
        $load = \sprintf('spl_autoload_register(static function (string $class): void {
            foreach (["Larder\\\\" => %1$s, "Psr\\\\Log\\\\" => %2$s . "/log/", "Psr\\\\Cache\\\\" => %2$s . "/cache/", "Psr\\\\SimpleCache\\\\" => %2$s . "/simple-cache/"] as $prefix => $folder) {
                if (str_starts_with($class, $prefix)) { include $folder . strtr(substr($class, strlen($prefix)), "\\\\", "/") . ".php"; }
            }
        });', var_export(\dirname(__DIR__) . '/src/', true), var_export(self::interfaces(), true));
        $process = new Process([
            'setpriv', '--reuid', (string) $user, '--regid', (string) $user, '--clear-groups', '--pdeathsig', 'KILL', '--',
            'sh', '-c', $before . '; exec "$@" 2>&1', 'sh', \PHP_BINARY, ...$options, '-d', 'display_errors=1', '-r', $load . $code,
        ], env: ['TMPDIR' => '/tmp'], timeout: 300.0); // that of the tests is theirs alone
        $process->start();

        return $process;
    }

    /** Lets other users through to a folder of the tests. */
    public static function letThrough(string $folder): void
    {
        for (; $folder !== '/'; $folder = \dirname($folder)) {
            if (((int) fileperms($folder) & 0o001) === 0) {
                chmod($folder, 0o711);
            }
        }
    }

    /** @return string a copy of the interfaces of PSR that everybody may read */
    private static function interfaces(): string
    {
        $copy = Servers::directory('psr');
        if (is_dir($copy . '/log')) {
            return $copy;
        }
        self::letThrough($copy);
        foreach (['log', 'cache', 'simple-cache'] as $package) {
            mkdir("$copy/$package");
            foreach ((array) glob(\dirname(__DIR__, 2) . "/vendor/psr/$package/src/*.php") as $file) {
                copy((string) $file, "$copy/$package/" . basename((string) $file));
            }
        }

        return $copy;
    }
}

<?php

declare(strict_types=1);

namespace Larder\Tests;

use Symfony\Component\Process\Process;

/** Another PHP process on this machine. */
final class PhpProcess
{
    /**
     * @param string $code without the opening tag; Larder's classes are available
     * @param list<string> $options of php, such as ['-n']
     * @param string $before shell commands to run before it
     * @param list<string> $under a command that runs this shell, such as ['unshare', '--ipc']
     * @return string its output, with errors
     */
    public static function run(string $code, array $options = [], string $before = ':', array $under = []): string
    {
        $process = self::start($code, $options, $before, $under);
        $process->wait();

        return $process->getOutput();
    }

    /**
     * @param list<string> $options
     * @param list<string> $under
     */
    public static function start(string $code, array $options = [], string $before = ':', array $under = []): Process
    {
        $code = \sprintf('require %s; ', var_export(\dirname(__DIR__, 2) . '/vendor/autoload.php', true)) . $code;
        $process = new Process(
            [
                ...$under,
                'sh',
                '-c',
                $before . '; exec "$@" 2>&1',
                'sh',
                \PHP_BINARY,
                ...($options === [] ? self::loadedHere() : $options),
                '-d',
                'display_errors=1',
                '-r',
                $code,
            ],
            timeout: 300.0,
        );
        $process->start();

        return $process;
    }

    /** @return list<string> options that load the extensions that this process has loaded by options */
    private static function loadedHere(): array
    {
        $options = ['-d', 'apc.enable_cli=1', '-d', 'larder.segment=' . ini_get('larder.segment')];
        if (\extension_loaded('larder') && !self::hasEngine()) {
            array_push($options, ...self::withEngine());
        }

        return $options;
    }

    /** True if PHP loads the engine by its own settings. */
    public static function hasEngine(): bool
    {
        return str_contains((string) shell_exec(\PHP_BINARY . ' -m'), "\nlarder\n");
    }

    /** @return list<string> the engine that was built here; empty if PHP loads one by its own settings */
    public static function engine(): array
    {
        return self::hasEngine() ? [] : [\dirname(__DIR__, 2) . '/extension/modules/larder.so'];
    }

    /** @return list<string> a PHP with the engine, and these settings */
    public static function commandWithEngine(string ...$settings): array
    {
        $command = [\PHP_BINARY, ...(self::hasEngine() ? [] : self::withEngine())];
        foreach ($settings as $setting) {
            array_push($command, '-d', $setting);
        }

        return $command;
    }

    /** @return list<string> options that load the engine that was built here */
    public static function withEngine(): array
    {
        return ['-d', 'extension=' . \dirname(__DIR__, 2) . '/extension/modules/larder.so'];
    }
}

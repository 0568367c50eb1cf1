<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Apcu;

use Larder\Cli\System\Php;
use Larder\Cli\System\TemporaryDirectory;
use Larder\ProjectTests\Repository;
use Larder\Tests\PhpProcess;
use PHPUnit\Framework\TestCase;

/** The library's apcu: store in a PHP that has Larder's module apcu instead of APCu. */
final class StoreTest extends TestCase
{
    public function testContractsHoldOverTheModule(): void
    {
        $directory = new TemporaryDirectory('/dev/shm');
        $php = self::withModule($directory->path);
        $tests = Repository::process(
            $php->command(['vendor/bin/phpunit', '--colors=never', '--no-progress', '--do-not-cache-result', '--exclude-group', 'waiting', __DIR__ . '/StoreOverModule.php']),
            $php->environment(),
        );
        $tests->run();
        self::assertSame(0, $tests->getExitCode(), $tests->getOutput() . $tests->getErrorOutput());
        self::assertMatchesRegularExpression('/^OK \(\d{2,} tests/m', $tests->getOutput());
    }

    /** As make install WITH=apcu leaves it: APCu's file is there, and an ini file loads the module in its place. */
    public function testCompareMeasuresTheApcuThatTheModuleReplaces(): void
    {
        $apcu = ini_get('extension_dir') . '/apcu.so';
        if (!is_file($apcu)) {
            self::markTestSkipped('APCu is not installed');
        }
        $directory = new TemporaryDirectory('/dev/shm');
        $php = self::withModule($directory->path);
        $module = "$directory->path/larder_apcu.so";
        copy(Repository::ROOT . '/var/apcu/modules/apcu.so', $module);
        $loaded = [...\array_slice($php->extensions, 0, -1), $module];
        file_put_contents("$directory->path/php/larder.ini", 'extension=' . implode("\nextension=", $loaded) . "\n");
        $installed = new Php($php->ini, [], "$directory->path/php");
        $process = Repository::process(
            $installed->command(['-r', <<<'PHP'
                require 'vendor/autoload.php';
                Larder\Cli\Compare\Apcu::choose(null);
                mkdir($folder = $argv[1]);
                $php = Larder\Cli\Compare\Apcu::php(fn() => $folder, []);
                $command = $php->command(['-r', 'echo file_get_contents("/proc/self/maps");']);
                echo (new Symfony\Component\Process\Process($command, null, $php->environment()))->mustRun()->getOutput();
                PHP, "$directory->path/measured"]),
            $installed->environment(),
        );
        $said = $process->mustRun()->getOutput();
        self::assertStringContainsString(" $apcu\n", $said);
        self::assertStringNotContainsString($module, $said);
    }

    private static function withModule(string $folder): Php
    {
        Repository::process(['dev/build-extension', 'apcu'])->mustRun();
        mkdir("$folder/php");
        mkdir("$folder/segments");
        $settings = ['apc.enable_cli' => '1', 'larder.path' => "$folder/segments", 'larder.segment' => 'apcu-store', 'larder.size' => '64M', 'zend.assertions' => '1', 'error_reporting' => '-1'];
        return Php::without('apcu', "$folder/php", $settings, [...PhpProcess::engine(), Repository::ROOT . '/var/apcu/modules/apcu.so']);
    }
}

<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Apcu;

use Larder\Cli\System\Php;
use Larder\Cli\System\TemporaryDirectory;
use Larder\ProjectTests\Repository;
use PHPUnit\Framework\TestCase;

/** The library's apcu: store in a PHP that has Larder's module apcu instead of APCu. */
final class StoreTest extends TestCase
{
    public function testContractsHoldOverTheModule(): void
    {
        Repository::process(['dev/build-extension', 'apcu'])->mustRun();
        $directory = new TemporaryDirectory('/dev/shm');
        mkdir("$directory->path/php");
        mkdir("$directory->path/segments");
        $settings = ['apc.enable_cli' => '1', 'larder.path' => "$directory->path/segments", 'larder.segment' => 'apcu-store', 'larder.size' => '64M', 'zend.assertions' => '1', 'error_reporting' => '-1'];
        $engine = Repository::hasEngine() ? [] : [Repository::ROOT . '/extension/modules/larder.so'];
        $php = Php::without('apcu', "$directory->path/php", $settings, [...$engine, Repository::ROOT . '/var/apcu/modules/apcu.so']);
        $tests = Repository::process(
            $php->command(['vendor/bin/phpunit', '--colors=never', '--no-progress', '--do-not-cache-result', '--exclude-group', 'waiting', __DIR__ . '/StoreOverModule.php']),
            $php->environment(),
        );
        $tests->run();
        self::assertSame(0, $tests->getExitCode(), $tests->getOutput() . $tests->getErrorOutput());
        self::assertMatchesRegularExpression('/^OK \(\d{2,} tests/m', $tests->getOutput());
    }
}

<?php

declare(strict_types=1);

namespace Larder\ProjectTests;

use Larder\Cli\System\Executable;
use Larder\Cli\System\Php;
use Larder\Cli\System\TemporaryDirectory;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

/** If PHP's settings load Xdebug, the command and the tests run without it. */
final class PhpSettingsTest extends TestCase
{
    private TemporaryDirectory $machine;
    private string $xdebug;

    protected function setUp(): void
    {
        $this->xdebug = \sprintf('%s/var/xdebug/%s/xdebug.so', (string) realpath(Repository::ROOT), Php::version());
        if (!is_file($this->xdebug)) {
            self::markTestSkipped("$this->xdebug is not there");
        }
        $this->machine = new TemporaryDirectory();
        $this->machine->add('conf.d');
        $this->machine->add('settings');
    }

    public function testCommandMeasuresWithoutXdebug(): void
    {
        $this->machine->write('conf.d/20-xdebug.ini', "zend_extension=$this->xdebug\nxdebug.mode=debug\nxdebug.start_with_request=yes\n");
        $compare = ['compare', '--quick', '--rounds=1', '--stores=array,file', '--values=10b', '--no-servers'];
        $refused = $this->inMachine(['php', 'cli/bin/larder', ...$compare]);
        self::assertSame(1, $refused->getExitCode());
        self::assertStringContainsString('Xdebug is loaded', $refused->getErrorOutput(), 'control: this PHP has it');

        $run = $this->inMachine(['./larder', ...$compare]);

        self::assertSame(0, $run->getExitCode(), $run->getOutput() . $run->getErrorOutput());
        self::assertMatchesRegularExpression('/^  files /m', $run->getOutput());
    }

    public function testTestsRunWithoutXdebug(): void
    {
        $this->machine->write('conf.d/20-xdebug.ini', "zend_extension=$this->xdebug\nxdebug.mode=develop,coverage\n");

        $run = $this->inMachine(['dev/checks/phpunit', 'library', '--filter', 'PidTest|AddressTest']);

        self::assertStringEndsWith(" passed, 0 failed\n", $run->getOutput(), $run->getErrorOutput());
        $this->assertEveryPhpIsWithout();
    }

    /** In a shared ini file, the other settings stay. */
    public function testXdebugIsLeftOutOfASharedIniFile(): void
    {
        $this->machine->write('conf.d/99-mine.ini', "memory_limit = 321M\nzend_extension = \"$this->xdebug\" ; for work\nprecision = 11\n");

        $this->assertEveryPhpIsWithout();
        self::assertSame('321M 11', $this->inMachine(['sh', '-c', 'root="$PWD"; . dev/php-settings.sh; php -r \'echo ini_get("memory_limit"), " ", ini_get("precision");\''])->getOutput());
    }

    public function testXdebugIsLeftOutOfPhpIni(): void
    {
        $ini = $this->machine->write('php.ini', "precision = 11\nzend_extension=$this->xdebug\nzend.assertions = 1\n");

        $this->assertEveryPhpIsWithout(['PHPRC' => $ini]);
        self::assertSame('11 -1', $this->inMachine(['sh', '-c', 'root="$PWD"; . dev/php-settings.sh; php -r \'echo ini_get("precision"), " ", ini_get("zend.assertions");\''], ['PHPRC' => $ini])->getOutput());
    }

    public function testNoSettingsAreWrittenWithoutXdebug(): void
    {
        self::assertSame('', $this->inMachine(['php', 'dev/php-settings.php', $this->machine->path . '/settings'])->getOutput());
        self::assertSame(['.', '..'], scandir($this->machine->path . '/settings'));
    }

    /** @param array<string, string> $environment */
    private function assertEveryPhpIsWithout(array $environment = []): void
    {
        $version = Php::version();
        foreach (['php', Executable::find(["php-fpm$version", 'php-fpm'], '')->path, Executable::find(["php-cgi$version", 'php-cgi'], '')->path] as $php) {
            self::assertStringContainsString('Xdebug', $this->inMachine([$php, '-m'], $environment)->getOutput(), "control: $php has it");
            $modules = $this->inMachine(['sh', '-c', 'root="$PWD"; . dev/php-settings.sh; exec "$0" -m', $php], $environment);
            self::assertStringNotContainsString('Xdebug', $modules->getOutput(), $php);
            self::assertStringContainsString('apcu', $modules->getOutput(), "the others are there, $php");
        }
    }

    /**
     * @param list<string> $command
     * @param array<string, string> $environment
     */
    private function inMachine(array $command, array $environment = []): Process
    {
        $process = Repository::process($command, [
            'PHP_INI_SCAN_DIR' => getenv('PHP_INI_SCAN_DIR') . ':' . $this->machine->path . '/conf.d',
            'LARDER_PHP_SETTINGS' => $this->machine->path . '/settings',
            'LARDER_PHP_SETTINGS_ARE_MADE' => false,
            'XDEBUG_MODE' => false,
            ...$environment,
        ], 120);
        $process->run();

        return $process;
    }
}

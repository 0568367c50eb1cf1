<?php

declare(strict_types=1);

namespace Larder\Tests\Process;

use Larder\Tests\PhpProcess;
use Larder\Tests\Servers;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\TestCase;

final class PidTest extends TestCase
{
    private const CODE = <<<'PHP'
        $parent = \Larder\Process\Pid::own();
        if (pcntl_fork() === 0) {
            echo \Larder\Process\Pid::own() === getmypid() && getmypid() !== $parent ? 'its own, ' : 'another, ';
            exit(0);
        }
        pcntl_wait($status);
        echo \Larder\Process\Pid::own() === getmypid() && getmypid() === $parent ? 'its own' : 'another';
        PHP;

    /** @return iterable<string, array{list<string>, bool}> */
    public static function loaded(): iterable
    {
        yield 'by the engine' => [[], true];
        yield 'by the system' => [['-n', ...(\in_array('pcntl', self::shared(), true) ? ['-d', 'extension=pcntl'] : [])], false];
    }

    /** @param list<string> $options */
    #[RequiresPhpExtension('pcntl')]
    #[RequiresPhpExtension('larder')]
    #[DataProvider('loaded')]
    public function testForkHasItsOwnPid(array $options, bool $hasEngine): void
    {
        self::assertSame($hasEngine ? 'yes' : 'no', PhpProcess::run('echo extension_loaded("larder") ? "yes" : "no";', $options));
        self::assertSame('its own, its own', PhpProcess::run(self::CODE, $options));
    }

    #[RequiresPhpExtension('larder')]
    #[RequiresPhpExtension('Zend OPcache')]
    public function testCodeCompiledWithTheEngineRunsWithoutIt(): void
    {
        if (PhpProcess::hasEngine()) {
            self::markTestSkipped('no PHP here is without the engine');
        }
        $cache = Servers::directory('compiled');
        $options = ['-d', 'opcache.enable_cli=1', '-d', "opcache.file_cache=$cache", '-d', 'opcache.file_update_protection=0'];
        $code = 'var_dump(extension_loaded("larder"), \Larder\Process\Pid::own() === getmypid());';
        self::assertSame("bool(true)\nbool(true)\n", PhpProcess::run($code, [...$options, ...PhpProcess::withEngine()]));
        self::assertNotSame([], glob("$cache/*"), 'what was compiled is kept');
        self::assertSame("bool(false)\nbool(true)\n", PhpProcess::run($code, $options));
    }

    /** @return list<string> extensions that PHP would not have without its settings */
    private static function shared(): array
    {
        $builtIn = array_map(trim(...), explode("\n", (string) shell_exec(\PHP_BINARY . ' -n -m')));

        return array_values(array_diff(array_map(strtolower(...), get_loaded_extensions()), $builtIn));
    }
}

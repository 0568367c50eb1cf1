<?php

declare(strict_types=1);

namespace Larder\Tests\Process;

use Larder\Tests\PhpProcess;
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
        yield 'by the system' => [
            ['-n', ...(\in_array('pcntl', self::shared(), true) ? ['-d', 'extension=pcntl'] : [])],
            false,
        ];
    }

    /** @param list<string> $options */
    #[RequiresPhpExtension('pcntl')]
    #[RequiresPhpExtension('larder')]
    #[DataProvider('loaded')]
    public function testForkHasItsOwnPid(array $options, bool $hasEngine): void
    {
        self::assertSame(
            $hasEngine ? 'yes' : 'no',
            PhpProcess::run('echo extension_loaded("larder") ? "yes" : "no";', $options),
        );
        self::assertSame('its own, its own', PhpProcess::run(self::CODE, $options));
    }

    /** @return list<string> extensions that PHP would not have without its settings */
    private static function shared(): array
    {
        $builtIn = array_map(trim(...), explode("\n", (string) shell_exec(\PHP_BINARY . ' -n -m')));

        return array_values(array_diff(array_map(strtolower(...), get_loaded_extensions()), $builtIn));
    }
}

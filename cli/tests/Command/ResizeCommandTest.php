<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Command;

use Larder\Cli\Command\ResizeCommand;
use Larder\Cli\System\Php;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Console\Tester\CommandTester;
use Symfony\Component\Process\Process;

#[RequiresPhpExtension('larder')]
final class ResizeCommandTest extends TestCase
{
    private const ROOT = __DIR__ . '/../../..';

    private string|false $engine;

    /** The child processes must load the engine as this one does, possibly without php.ini. */
    protected function setUp(): void
    {
        $this->engine = getenv(Php::ENGINE_VARIABLE);
        if ((new Process([\PHP_BINARY, '-r', 'exit((int) extension_loaded("larder"));']))->run() === 0) {
            putenv(Php::ENGINE_VARIABLE . '=' . self::ROOT . '/extension/modules/larder.so');
        }
    }

    protected function tearDown(): void
    {
        putenv(Php::ENGINE_VARIABLE . ($this->engine === false ? '' : '=' . $this->engine));
    }

    public function testItRecreatesTheSegmentOnCommandAlone(): void
    {
        $segment = 'resize-' . bin2hex(random_bytes(4));
        $this->runPhp($segment, 'larder_store("warm", 1);', '8M');
        self::assertSame(
            '1 8388608',
            $this->runPhp($segment, 'echo larder_fetch("warm"), " ", larder_info()["size"];', '16M'),
            'the control: settings alone change nothing',
        );

        $command = new CommandTester(new ResizeCommand());
        self::assertSame(0, $command->execute(['size' => '16M', '--segment' => $segment]));
        self::assertStringContainsString('16 MiB', $command->getDisplay());
        self::assertSame(
            'none 16777216 []',
            $this->runPhp(
                $segment,
                'echo larder_fetch("warm", "none"), " ", larder_info()["size"], " ", '
                    . 'json_encode(larder_info()["settings"]);',
                '16M',
            ),
        );
        $this->runPhp($segment, 'unlink(larder_info()["path"]);', '16M');
    }

    public function testItTellsWhyNot(): void
    {
        $command = new CommandTester(new ResizeCommand());
        self::assertSame(1, $command->execute(['size' => '1M']));
        self::assertSame(
            "larder.size must be between 8M and 64G, \"1M\" given.\nNothing was changed.\n",
            $command->getDisplay(),
        );
    }

    public function testSettingsOfTheCommandReachTheNewProcess(): void
    {
        $segment = 'resize-' . bin2hex(random_bytes(4));
        $engine = getenv(Php::ENGINE_VARIABLE);
        $load = $engine === false ? [] : ['-d', "extension=$engine"];
        $command = new Process([
            \PHP_BINARY,
            ...$load,
            '-d',
            "larder.segment=$segment",
            '-d',
            'larder.size=16M',
            self::ROOT . '/cli/bin/larder',
            'resize',
        ], env: [Php::ENGINE_VARIABLE => $engine]);
        self::assertMatchesRegularExpression("~^/\\S+/$segment\\S*: 16 MiB, ~", $command->mustRun()->getOutput());
        $this->runPhp($segment, 'unlink(larder_info()["path"]);', '16M');
    }

    private function runPhp(string $segment, string $code, string $size): string
    {
        $php = new Php(['larder.segment' => $segment, 'larder.size' => $size, 'log_errors' => '0']);

        return (new Process($php->command(['-r', 'larder_fetch("k"); ' . $code]), env: $php->environment()))->mustRun()
            ->getOutput();
    }
}

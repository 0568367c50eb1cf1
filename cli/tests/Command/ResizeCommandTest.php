<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Command;

use Larder\Cli\Command\ResizeCommand;
use Larder\Cli\System\Php;
use Larder\Tests\PhpProcess;
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
        foreach (PhpProcess::engine() as $engine) {
            putenv(Php::ENGINE_VARIABLE . "=$engine");
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
        self::assertSame(3, $command->execute(['size' => '16M', '--segment' => $segment]), 'it is not empty');
        self::assertStringContainsString("segment $segment of", $command->getDisplay());
        self::assertStringContainsString('add --yes', $command->getDisplay());
        self::assertSame(0, $command->execute(['size' => '16M', '--segment' => $segment, '--yes' => true]));
        self::assertStringContainsString('16 MiB', $command->getDisplay());
        self::assertStringContainsString('Set larder.size=16M in php.ini of each PHP, too', $command->getDisplay());
        self::assertStringContainsString('The new segment is empty.', $command->getDisplay());
        self::assertSame(
            'none 16777216 []',
            $this->runPhp(
                $segment,
                'echo larder_fetch("warm", "none"), " ", larder_info()["size"], " ", '
                    . 'json_encode(larder_info()["settings"]);',
                '16M',
            ),
        );
        $this->runPhp($segment, 'larder_store("warm", 2);', '16M');
        self::assertSame(0, $command->execute(['size' => '16M', '--segment' => $segment]));
        self::assertStringContainsString('so nothing was changed', $command->getDisplay());
        self::assertSame('2', $this->runPhp($segment, 'echo larder_fetch("warm");', '16M'));
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

    public function testMistypedSegmentIsNotMade(): void
    {
        $segment = 'resize-' . bin2hex(random_bytes(4));
        $command = new CommandTester(new ResizeCommand());
        self::assertSame(3, $command->execute(['--segment' => $segment, '--yes' => true]));
        self::assertStringContainsString("There is no segment $segment of ", $command->getDisplay());
        self::assertSame('', $this->runPhp($segment, 'echo larder_info()["path"];', '8M'));
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

    public function testOnATerminalItAsks(): void
    {
        if (!Process::isPtySupported()) {
            self::markTestSkipped('there are no terminals here');
        }
        $segment = 'resize-' . bin2hex(random_bytes(4));
        $this->runPhp($segment, 'larder_store("warm", 1);', '8M');
        $engine = getenv(Php::ENGINE_VARIABLE);
        $load = $engine === false ? [] : ['-d', "extension=$engine"];
        foreach (['no' => '1', 'yes' => 'none'] as $answer => $left) {
            $command = [\PHP_BINARY, ...$load, self::ROOT . '/cli/bin/larder', 'resize', '16M', '--segment', $segment];
            $resize = new Process($command, env: [Php::ENGINE_VARIABLE => $engine], input: "$answer\n", timeout: 300);
            $resize->setPty(true);
            $resize->run();
            self::assertStringContainsString("Drop what is in segment $segment of", $resize->getOutput());
            self::assertSame($left, $this->runPhp($segment, 'echo larder_fetch("warm", "none");', '16M'));
        }
        $this->runPhp($segment, 'unlink(larder_info()["path"]);', '16M');
    }

    private function runPhp(string $segment, string $code, string $size): string
    {
        $php = new Php(['larder.segment' => $segment, 'larder.size' => $size, 'log_errors' => '0']);

        return (new Process($php->command(['-r', 'larder_fetch("k"); ' . $code]), env: $php->environment()))->mustRun()
            ->getOutput();
    }
}

<?php

declare(strict_types=1);

namespace Larder\Cli\Tests;

use Larder\Cli\Application;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Console\Input\StringInput;
use Symfony\Component\Console\Output\BufferedOutput;

final class ApplicationTest extends TestCase
{
    #[TestWith([''])]
    #[TestWith(['--help'])]
    #[TestWith(['-h'])]
    public function testWithoutACommandItListsEachInOneLine(string $arguments): void
    {
        $output = self::larder($arguments);
        foreach (['compare', 'doctor', 'listen', 'resize', 'serializers', 'stampede'] as $command) {
            self::assertMatchesRegularExpression("/^  $command +[A-Z].+$/m", $output);
        }
        self::assertStringContainsString('larder compare --quick', $output);
        self::assertDoesNotMatchRegularExpression('/.{81}/', $output);
    }

    public function testEachCommandHasHelp(): void
    {
        foreach (['compare', 'doctor', 'listen', 'resize', 'serializers', 'stampede'] as $command) {
            self::assertStringContainsString("\n  $command ", self::larder("$command --help"));
        }
    }

    public function testUnknownCommandIsRefusedWithTheKnownOnes(): void
    {
        $output = self::larder('compair', 1);
        self::assertStringContainsString('compare', $output);
    }

    private static function larder(string $arguments, int $expected = 0): string
    {
        $application = new Application();
        $application->setAutoExit(false);
        $output = new BufferedOutput();
        self::assertSame($expected, $application->run(new StringInput($arguments), $output));

        return $output->fetch();
    }
}

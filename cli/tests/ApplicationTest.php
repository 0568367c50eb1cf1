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
    #[TestWith(['list'])]
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

    #[TestWith([80])]
    #[TestWith([60])]
    public function testHelpFitsIntoTheTerminal(int $columns): void
    {
        $usual = getenv('COLUMNS');
        putenv("COLUMNS=$columns");
        try {
            // Symfony's help of `completion` names the script that runs by its path, which is no line of ours to fold.
            foreach (array_diff(array_keys((new Application())->all()), ['list', 'completion']) as $command) {
                $help = (string) preg_replace('/\e\[\d+m/', '', self::larder("$command --help --ansi"));
                self::assertDoesNotMatchRegularExpression("/^.{{$columns}}./mu", $help);
            }
        } finally {
            putenv($usual === false ? 'COLUMNS' : "COLUMNS=$usual");
        }
    }

    public function testUnknownCommandIsRefusedWithTheKnownOnes(): void
    {
        $output = self::larder('compair', 1);
        self::assertStringContainsString('compare', $output);
    }

    #[TestWith(['compare --quik', 'The "--quik" option does not exist. Is --quick meant?', 'compare'])]
    #[TestWith(['compare --elephants', 'The "--elephants" option does not exist.', 'compare'])]
    #[TestWith(['get', 'Not enough arguments (missing: "key").', 'get'])]
    public function testMistakeIsNamedInTwoLines(string $arguments, string $mistake, string $command): void
    {
        $expected = "larder $command: $mistake\nAll options: larder $command --help\n";

        self::assertSame($expected, self::larder($arguments, $command === 'get' ? 3 : 1)); // for monitoring: not known
    }

    public function testFailureIsNamedWithoutItsPlaceInTheCode(): void
    {
        self::assertSame("larder compare: nowhere cannot be read. To make a result: larder compare --json nowhere\n", self::larder('compare --advise nowhere', 1));
        self::assertStringContainsString('ResultFile.php', self::larder('compare --advise nowhere -v', 1), 'control');
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

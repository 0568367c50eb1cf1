<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Command;

use Larder\Cli\Application;
use Symfony\Component\Console\Tester\ApplicationTester;

/** Runs a command in this process. */
trait RunsCommands
{
    /**
     * @param array<string, string|bool> $arguments
     * @return string standard output
     */
    private static function larder(string $command, array $arguments = [], int $code = 0, string $error = ''): string
    {
        $application = new Application();
        $application->setAutoExit(false);
        $tester = new ApplicationTester($application);
        $ended = $tester->run(['command' => $command, ...$arguments], ['capture_stderr_separately' => true, 'interactive' => false]);
        self::assertSame($code, $ended, $tester->getDisplay() . $tester->getErrorOutput());
        if ($error !== '') {
            self::assertStringContainsString($error, $tester->getErrorOutput());
        }

        return $tester->getDisplay();
    }

    /**
     * @param array<string, string|bool> $arguments
     * @return array<array-key, mixed>
     */
    private static function json(string $command, array $arguments): array
    {
        $data = json_decode(self::larder($command, $arguments + ['--json' => true]), true, 512, \JSON_THROW_ON_ERROR);
        self::assertIsArray($data);

        return $data;
    }
}

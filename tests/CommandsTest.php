<?php

declare(strict_types=1);

namespace Larder\ProjectTests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

/** Every command that a page gives exists: a target of make, a script, a file that it names. */
final class CommandsTest extends TestCase
{
    /** @return iterable<string, array{string}> */
    public static function commands(): iterable
    {
        foreach (Repository::pages() as $name) {
            foreach (Page::read($name)->commands() as $place => $command) {
                yield "$place $command" => [$command];
            }
        }
    }

    #[DataProvider('commands')]
    public function testCommandExists(string $command): void
    {
        self::assertNull($this->failure($command));
    }

    /** @return iterable<string, array{string}> */
    public static function wrong(): iterable
    {
        yield 'no target' => ['make nothing-of-the-kind'];
        yield 'no script' => ['tools/nothing'];
        yield 'no command of larder' => ['./larder nothing'];
        yield 'no program' => ['nothing-of-the-kind --now'];
        yield 'no file' => ['tools/checks/phpt tests/nothing.phpt'];
    }

    #[DataProvider('wrong')]
    public function testNoticesThatThereIs(string $command): void
    {
        self::assertNotNull($this->failure($command));
    }

    private function failure(string $command): ?string
    {
        $words = explode(' ', (string) preg_replace('/^((sudo|[A-Z_]+=\S+) )+/', '', $command));
        $dry = match ($words[0]) {
            'make' => ['make', '--dry-run', ...\array_slice($words, 1)],
            './larder' => ['./larder', 'help', $words[1] ?? 'list'],
            default => ['sh', '-c', 'command -v "$1"', 'sh', $words[0]],
        };
        $process = Repository::process($dry);
        if ($process->run() !== 0) {
            return $process->getErrorOutput() . $process->getOutput();
        }
        foreach (\array_slice($words, 1) as $word) {
            if (preg_match('~^(tests|extension|library|tool)/~', $word) === 1 && !file_exists(Repository::ROOT . "/$word") && !file_exists(Repository::ROOT . "/extension/$word")) {
                return "$word is not there";
            }
        }

        return null;
    }
}

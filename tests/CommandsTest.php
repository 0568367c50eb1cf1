<?php

declare(strict_types=1);

namespace Larder\ProjectTests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

/** Every command of a page or of the Dockerfile exists: its make target, its script, its files. */
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
        preg_match_all('/^RUN (.+)$/m', (string) file_get_contents(Repository::ROOT . '/Dockerfile'), $lines);
        foreach ($lines[1] as $line) {
            foreach (explode(' && ', $line) as $command) {
                yield "Dockerfile: $command" => [$command];
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
        yield 'no script' => ['dev/nothing'];
        yield 'no command of larder' => ['./larder nothing'];
        yield 'no program' => ['nothing-of-the-kind --now'];
        yield 'no package' => ['composer require larder/nothing'];
        yield 'no file' => ['dev/checks/phpt tests/nothing.phpt'];
    }

    #[DataProvider('wrong')]
    public function testMissingCommandIsNoticed(string $command): void
    {
        self::assertNotNull($this->failure($command));
    }

    private function failure(string $command): ?string
    {
        // the clone in the README
        $words = explode(' ', (string) preg_replace(['/^((sudo|[A-Z_]+=\S+) )+/', '~^make -C /opt/larder ~'], ['', 'make '], $command));
        $dry = match ($words[0]) {
            'make' => ['make', '--dry-run', ...\array_slice($words, 1)],
            './larder', 'vendor/bin/larder' => ['./larder', 'help', $words[1] ?? 'list'],
            // missing on some machines that run the tests; packages are checked below
            'pie', 'docker', 'systemctl', 'phpenmod' => ['true'],
            default => ['sh', '-c', 'command -v "$1"', 'sh', $words[0]],
        };
        $process = Repository::process($dry);
        if ($process->run() !== 0) {
            return $process->getErrorOutput() . $process->getOutput();
        }
        foreach (\array_slice($words, 1) as $word) {
            if (preg_match('~^(tests|extension|library|cli|dev|lab)/~', $word) === 1 && !file_exists(Repository::ROOT . "/$word") && !file_exists(Repository::ROOT . "/extension/$word")) {
                return "$word is not there";
            }
            if (preg_match('~^larder/~', $word) === 1 && !\in_array((string) preg_replace('/:@dev$/', '', $word), self::packages(), true)) {
                return "there is no package $word";
            }
        }

        return null;
    }

    /** @return list<string> names of the published packages */
    private static function packages(): array
    {
        $names = [];
        foreach (['library', 'cli', 'compat/polyfill', 'compat/legacy', 'symfony', 'laravel', 'extension', 'apcu'] as $folder) {
            $package = json_decode((string) file_get_contents(Repository::ROOT . "/$folder/composer.json"), true, flags: \JSON_THROW_ON_ERROR);
            self::assertIsArray($package);
            self::assertIsString($package['name']);
            $names[] = $package['name'];
        }

        return $names;
    }
}

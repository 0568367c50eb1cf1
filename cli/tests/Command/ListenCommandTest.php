<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Command;

use Larder\Cli\Command\ListenCommand;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Console\Tester\CommandTester;

/** Tests what `larder listen` refuses, and with which message. The listening itself: tests/Tiers/TwoHostsTest. */
final class ListenCommandTest extends TestCase
{
    /** @return iterable<string, array{string, string}> */
    public static function unfit(): iterable
    {
        yield 'no tier' => [
            'redis://127.0.0.1',
            'This redis: DSN has no local tier to keep fresh. Give it as the program has it: '
                . 'tier:(larder:)(redis://10.0.0.5)',
        ];
        yield 'no DSN' => ['tier:(larder:)(redis://', 'does not name two others in parentheses'];
        yield 'a local tier of one process' => [
            'tier:(array:)(redis://127.0.0.1)',
            'array: is not shared by the command line and the web server',
        ];
        yield 'APCu, which the command line has for itself' => [
            'tier:(apcu:)(redis://127.0.0.1)',
            'Local tiers that can be listened for: larder:, shmop:, sqlite:, file:, php-file:',
        ];
        yield 'a server that does not tell' => [
            'tier:(file:///dev/shm/larder-listen)(memcached://127.0.0.1)',
            'memcached: does not tell of changes, only Redis and Valkey do. The processes ask for changes themselves',
        ];
        yield 'nobody to help' => [
            'tier:(file:///dev/shm/larder-listen)(redis://127.0.0.1)?poll=0',
            'With poll=0 nobody asks what was changed',
        ];
        yield 'a mistake' => [
            'tier:(file:///dev/shm/larder-listen)(redis://127.0.0.1)?poll=x',
            'has a value for the option poll that is not a number',
        ];
    }

    #[DataProvider('unfit')]
    public function testWhatCannotBeListenedForIsRefusedWithTheReason(string $dsn, string $reason): void
    {
        $command = new CommandTester(new ListenCommand());
        self::assertSame(2, $command->execute(['dsn' => $dsn]));
        self::assertStringContainsString($reason, $command->getDisplay());
    }
}

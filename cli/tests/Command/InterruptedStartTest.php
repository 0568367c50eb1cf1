<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Command;

use Larder\Cli\System\TemporaryDirectory;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

/** Interrupts `larder compare` while it starts a server whose programs are writing their files. */
final class InterruptedStartTest extends TestCase
{
    private const TRIES = 8;

    /** Shortest time in which MariaDB writes its first files. */
    private const MICROSECONDS = 320_000;

    public function testInterruptedStartLeavesNothing(): void
    {
        for ($try = 0; $try < self::TRIES; ++$try) {
            $temporary = new TemporaryDirectory();
            $run = new Process(
                [__DIR__ . '/../../../larder', 'compare', '--quick', '--stores=mysql-memory', '--values=10b'],
                null,
                ['PHP' => \PHP_BINARY, 'TMPDIR' => $temporary->path],
                timeout: 300,
            );
            $run->start();
            for ($deadline = microtime(true) + 300; glob($temporary->path . '/*/mariadb/mariadb') === []; usleep(
                2_000,
            )) {
                self::assertLessThan($deadline, microtime(true), $run->getErrorOutput());
            }
            usleep(intdiv($try * self::MICROSECONDS, self::TRIES));
            $run->signal(\SIGINT);
            self::assertSame(130, $run->wait(), $run->getErrorOutput());
            self::assertSame([], glob($temporary->path . '/*'), "try $try");
        }
    }
}

<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Command;

use Larder\Cli\System\TemporaryDirectory;
use Larder\Tests\PhpProcess;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

/** `larder top` on a terminal; InspectCommandsTest has it elsewhere. */
#[RequiresPhpExtension('larder')]
final class TopCommandTest extends TestCase
{
    private const ROOT = __DIR__ . '/../../..';

    public function testScreenIsDrawnAgainUntilCtrlC(): void
    {
        if (!Process::isPtySupported()) {
            self::markTestSkipped('there are no terminals here');
        }
        $folder = new TemporaryDirectory('/dev/shm');
        $php = PhpProcess::commandWithEngine("larder.path=$folder->path", 'larder.size=8M');
        $fill = 'for ($i = 0; $i < 32000; ++$i) { larder_store("k$i", str_repeat("x", 1000)); }';
        (new Process([...$php, '-r', $fill]))->mustRun();
        $top = new Process([...$php, self::ROOT . '/cli/bin/larder', 'top'], timeout: 300);
        $top->setPty(true);
        $top->start();
        $top->waitUntil(static fn(): bool => substr_count($top->getOutput(), 'Ctrl-C ends.') === 2);
        $top->signal(\SIGINT);

        self::assertSame(130, $top->wait());
        self::assertSame(2, substr_count($top->getOutput(), "\e[H\e[J"));
        self::assertStringContainsString('Hits     no gets now', $top->getOutput());
        self::assertMatchesRegularExpression('~^Evicted  \d\d,\d{3}; about \d+ % had been read; half was stored or moved less than \d+ s before\r?$~m', $top->getOutput());
    }
}

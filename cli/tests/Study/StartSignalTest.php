<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Study;

use Larder\Cli\Study\StartSignal;
use Larder\Cli\System\TemporaryDirectory;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

final class StartSignalTest extends TestCase
{
    public function testProcessesStartWithTheSignalAndNotBefore(): void
    {
        $directory = new TemporaryDirectory();
        $signal = new StartSignal($directory->path . '/start');
        $waiters = array_map(static fn(): Process => self::waiter($signal->path), range(1, 3));
        foreach ($waiters as $waiter) {
            $waiter->waitUntil(static fn(): bool => str_contains($waiter->getOutput(), 'waits'));
        }
        usleep(20_000);
        $before = \hrtime(true);
        $signal->give();
        $moments = [];
        foreach ($waiters as $waiter) {
            $waiter->wait();
            preg_match('/^waits\n(\d+) (\d+)$/', $waiter->getOutput(), $match);
            self::assertGreaterThanOrEqual($before, (int) ($match[2] ?? 0), $waiter->getErrorOutput());
            $moments[] = $match[1] ?? '';
        }
        self::assertCount(1, array_unique($moments));
    }

    public function testStarterThatEndsWithoutASignalLetsNobodyStart(): void
    {
        $directory = new TemporaryDirectory();
        $signal = new StartSignal($directory->path . '/start');
        $waiter = self::waiter($signal->path);
        $waiter->waitUntil(static fn(): bool => str_contains($waiter->getOutput(), 'waits'));
        unset($signal);
        self::assertNotSame(0, $waiter->wait());
        self::assertStringContainsString('no signal to start was given', $waiter->getErrorOutput());
    }

    private static function waiter(string $path): Process
    {
        $code = \sprintf(
            'require %s; echo "waits\n"; echo %s::await(%s), " ", hrtime(true);',
            var_export(\dirname(__DIR__, 3) . '/vendor/autoload.php', true),
            StartSignal::class,
            var_export($path, true),
        );
        $process = new Process([\PHP_BINARY, '-d', 'display_errors=stderr', '-r', $code]);
        $process->start();

        return $process;
    }
}

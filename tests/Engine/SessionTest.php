<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Engine;

/** Parallel requests of one session lose no update, and PHP-FPM may be restarted meanwhile. */
final class SessionTest extends EngineTestCase
{
    private const INI = [
        'session.save_handler' => 'larder', 'session.use_strict_mode' => '0', 'session.use_cookies' => '0',
        'session.cache_limiter' => '', 'larder.session_size' => '8M',
    ];

    private const UPDATE = <<<'PHP'
        for ($i = 0; $i < 1_000; ++$i) {
            session_id('basket');
            session_start();
            $_SESSION['items'] = ($_SESSION['items'] ?? 0) + 1;
            if ($i % 20 === 0) {
                usleep(500);
            }
            session_write_close();
        }
        return true;
        PHP;

    private const COUNT = 'session_id("basket"); session_start(["read_and_close" => true]); return $_SESSION["items"] ?? 0;';

    public function testParallelRequestsLoseNoUpdate(): void
    {
        self::assertSame(4_000, $this->updatedByFour());
    }

    public function testUpdatesAreLostWithoutTheLock(): void
    {
        $this->useCarelessBuild();
        self::assertLessThan(4_000, $this->updatedByFour());
    }

    public function testSessionsSurviveRestart(): void
    {
        $fpm = $this->sandbox->fpm(ini: self::INI);
        self::assertTrue($fpm->run(self::UPDATE));
        $fpm->server->stop();
        self::assertSame(1_000, $this->sandbox->fpm(ini: self::INI)->run(self::COUNT));
    }

    private function updatedByFour(): int
    {
        $processes = [];
        for ($i = 0; $i < 4; ++$i) {
            $processes[] = $this->sandbox->commandLine(ini: self::INI);
        }
        foreach ($processes as $process) {
            $process->begin(self::UPDATE);
        }
        foreach ($processes as $process) {
            self::assertTrue($process->end());
        }

        return $processes[0]->number(self::COUNT);
    }
}

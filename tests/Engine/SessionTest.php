<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Engine;

use Symfony\Component\Process\Process;

/** Parallel requests of one session lose no update, even if PHP-FPM is restarted. */
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

    private const REFUSED = <<<'PHP'
        $said = '';
        set_error_handler(function (int $level, string $message) use (&$said): bool {
            $said .= $message . '; ';

            return true;
        });
        $started = session_start();
        restore_error_handler();
        return $started ? 'started' : $said;
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

    /** A process that uses more memory than its cgroup allows would be killed. */
    public function testMemoryLimitThatLeavesTooLittleIsReported(): void
    {
        self::needsRoot();
        $group = '/sys/fs/cgroup/memory/larder-test-' . bin2hex(random_bytes(4));
        $through = ['sh', '-c', "mkdir $group && echo 64M >$group/memory.limit_in_bytes && echo \$\$ >$group/tasks && exec \"\$@\"", 'sh'];
        $this->sandbox->stopLater(static function () use ($group): void {
            @rmdir($group);
        });
        if ((new Process([...$through, 'true']))->run() !== 0 || !rmdir($group)) {
            self::markTestSkipped('this machine has no memory cgroups of version 1');
        }
        $php = $this->sandbox->commandLine(ini: ['larder.session_size' => '32M'] + self::INI, through: $through);
        $refused = $php->run('$GLOBALS["memory"] = str_repeat("x", 40 << 20); ' . self::REFUSED);
        self::assertIsString($refused);
        self::assertMatchesRegularExpression('/the memory limit of this process leaves \d+ MiB free, and larder\.session_size asks for 32;/', $refused);
        self::assertSame([], $this->sandbox->segments());
        // when there is memory again, the next request has sessions
        self::assertTrue($php->run('unset($GLOBALS["memory"]); usleep(1_100_000); session_start(); $_SESSION["n"] = 1; return session_write_close();'));
    }

    public function testFullFileSystemIsReportedAndTakesNothingFromSessions(): void
    {
        $through = ['unshare', '--mount', 'sh', '-c', 'mount -t tmpfs -o size=20m,mode=1777 tmpfs /dev/shm && exec "$@"', 'sh'];
        if ((new Process([...$through, 'true']))->run() !== 0) {
            self::markTestSkipped('this machine does not allow mounts');
        }
        $php = $this->sandbox->commandLine(ini: ['larder.path' => '/dev/shm', 'larder.session_size' => '16M'] + self::INI, through: $through);
        $refused = $php->run('file_put_contents("/dev/shm/ballast", str_repeat("x", 8 << 20)); ' . self::REFUSED);
        self::assertIsString($refused);
        self::assertMatchesRegularExpression('~/dev/shm/larder-\d+ has \d+ MiB free, and larder\.session_size asks for 16;~', $refused);
        self::assertTrue($php->run('unlink("/dev/shm/ballast"); usleep(1_100_000); session_id("a"); session_start(); $_SESSION["n"] = 1; return session_write_close();'));
        // filled later: the sessions already have their memory
        self::assertSame(500, $php->run(<<<'PHP'
            @file_put_contents('/dev/shm/ballast', str_repeat('x', 20 << 20));
            for ($i = 0; $i < 500; ++$i) {
                session_id('a');
                session_start();
                $_SESSION['n'] = $i + 1;
                $_SESSION['fill'] = str_repeat('x', 20_000);
                session_write_close();
            }
            session_id('a');
            session_start(['read_and_close' => true]);
            return disk_free_space('/dev/shm') < 65_536 ? $_SESSION['n'] : 'not full';
            PHP));
    }

    public function testSessionsWorkAfterPreloading(): void
    {
        $script = $this->sandbox->write('preload.php', '<?php function preloaded(): bool { return true; } ob_start(); @session_id("basket"); @session_start(); $_SESSION["items"] = 7;');
        $fpm = $this->sandbox->fpm(ini: ['opcache.enable' => '1', 'opcache.preload' => $script, 'opcache.preload_user' => User::site()->name] + self::INI);
        self::assertSame([true, 0], $fpm->run(str_replace('return ', 'return [preloaded(), ', rtrim(self::COUNT, ';')) . '];'));
        self::assertTrue($fpm->run(self::UPDATE));
        self::assertSame(1_000, $fpm->run(self::COUNT));
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

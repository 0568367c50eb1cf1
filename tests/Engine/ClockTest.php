<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Engine;

use PHPUnit\Framework\Attributes\Group;
use Symfony\Component\Process\Process;

/** If the wall clock is set, nothing expires too early or too late. */
#[Group('proof')]
final class ClockTest extends EngineTestCase
{
    private const YEAR = 31_536_000;

    /**
     * A library that is loaded before the C library, since libfaketime does not affect PHP's extensions. It shifts the
     * wall clock, or all clocks, by the seconds in a file.
     */
    private const CLOCK = <<<'C'
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <fcntl.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        #include <sys/syscall.h>
        #include <sys/time.h>
        #include <time.h>
        #include <unistd.h>

        static long jump(clockid_t clock) {
            char text[64] = "", clocks[8] = "";
            long seconds = 0;
            const int file = open(getenv("CLOCK_JUMP"), O_RDONLY | O_CLOEXEC);
            if (file >= 0 && read(file, text, sizeof text - 1) > 0) {
                sscanf(text, "%7s %ld", clocks, &seconds);
            }
            close(file);
            return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || strcmp(clocks, "all") == 0 ? seconds : 0;
        }
        int clock_gettime(clockid_t clock, struct timespec *now) {
            const int result = (int)syscall(SYS_clock_gettime, clock, now);
            now->tv_sec += jump(clock);
            return result;
        }
        int gettimeofday(struct timeval *now, void *zone) {
            struct timespec precise;
            (void)zone;
            const int result = clock_gettime(CLOCK_REALTIME, &precise);
            *now = (struct timeval){.tv_sec = precise.tv_sec, .tv_usec = precise.tv_nsec / 1000};
            return result;
        }
        time_t time(time_t *seconds) {
            struct timespec precise;
            clock_gettime(CLOCK_REALTIME, &precise);
            return seconds ? (*seconds = precise.tv_sec) : precise.tv_sec;
        }
        /* PHP loads extensions so that they would find the C library's functions before these. */
        void *dlopen(const char *path, int flags) {
            void *(*libc)(const char *, int);
            *(void **)&libc = dlsym(RTLD_NEXT, "dlopen");
            return libc(path, flags & ~RTLD_DEEPBIND);
        }
        C;

    /**
     * Returns the jump of PHP's time, and the number of entries that expired early or not at all. Returns nothing if
     * the machine stood still until the short entries had expired, by the kernel's own clock.
     */
    private const JUMP = <<<'PHP'
        file_put_contents('JUMP', 'wall 0');
        $uptime = static fn(): float => (float) file_get_contents('/proc/uptime');
        $start = $uptime();
        $ttls = ['short' => 0.3, 'long' => 3_600, 'endless' => 0];
        $number = static fn(string $kind): int => count(array_filter(range(1, 100), static fn(int $i): bool => larder_exists("$kind $i")));
        foreach ($ttls as $kind => $ttl) {
            for ($i = 1; $i <= 100; ++$i) {
                larder_store("$kind $i", "value $i", $ttl);
            }
        }
        $before = time();
        file_put_contents('JUMP', 'BY');
        $jumped = time() - $before;
        $early = 300 - array_sum(array_map($number, array_keys($ttls)));
        if ($uptime() - $start > 0.25) {
            return null;
        }
        usleep((int) (1e6 * 0.4));
        return [$jumped, $early + $number('short') + 200 - $number('long') - $number('endless')];
        PHP;

    private string $jump;

    /** @var list<string> prefix of a command that runs under that clock */
    private array $through;

    protected function setUp(): void
    {
        parent::setUp();
        $this->jump = $this->sandbox->write('jump', 'wall 0');
        chmod($this->jump, 0o666);
        $library = $this->sandbox->folder() . '/clock.so';
        $compiler = new Process(['gcc', '-std=c11', '-shared', '-fPIC', '-O', '-o', $library, $this->sandbox->write('clock.c', self::CLOCK)], timeout: 600);
        self::assertSame(0, $compiler->run(), $compiler->getErrorOutput());
        $this->through = ['env', "LD_PRELOAD=$library", "CLOCK_JUMP={$this->jump}"];
    }

    public function testWallClockJumpsChangeNoExpiry(): void
    {
        $fpm = $this->sandbox->fpm(through: $this->through);
        $commandLine = $this->sandbox->commandLine(through: $this->through);
        $tried = $failed = 0;
        for ($round = 0; $round < Proof::amount(1, 20); ++$round) {
            foreach ([$fpm, $commandLine] as $php) {
                foreach ([self::YEAR, -self::YEAR] as $seconds) {
                    $failed += $this->jump($php, "wall $seconds", $seconds);
                    $tried += 300;
                }
            }
        }
        Proof::record('clock.jumps', $tried, 'entries of which each had to expire in its time while the wall clock jumped a year forward or back, in FPM and on the command line', $failed);
    }

    public function testJumpOfTheEnginesClockChangesExpiry(): void
    {
        $larder = $this->sandbox->commandLine(through: $this->through);
        Proof::control('clock.jumps', 'the clock that the engine goes by jumps as well', 300, $this->jump($larder, 'all ' . self::YEAR, self::YEAR));
    }

    private function jump(Php $php, string $by, int $seconds): int
    {
        $seen = null;
        for ($tries = 0; $seen === null && $tries < 20; ++$tries) {
            /** @var array{int, int}|null $seen */
            $seen = $php->run(strtr(self::JUMP, ['JUMP' => $this->jump, 'BY' => $by]));
        }
        self::assertNotNull($seen, 'the machine is too busy');
        self::assertEqualsWithDelta($seconds, $seen[0], 5, 'the control: PHP sees the jump');

        return $seen[1];
    }
}

<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Measure;

use Larder\Cli\Measure\Preflight;
use Larder\Cli\System\TemporaryDirectory;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

/** Uses files as Linux shows them on machines that spoil a run, each for one reason. */
final class PreflightTest extends TestCase
{
    private const FILES = [
        '/proc/stat' => "cpu  100 0 100 10000 0 0 0 0 0 0\ncpu0 100 0 100 10000 0 0 0 0 0 0\n",
        '/proc/loadavg' => "0.10 0.10 0.10 1/100 1000\n",
        '/proc/meminfo' => "MemTotal:       4000000 kB\nSwapTotal:      1000000 kB\nSwapFree:       1000000 kB\n",
        '/proc/self/cgroup' => "0::/\n",
        '/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor' => "performance\n",
        '/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor' => "performance\n",
        '/sys/devices/system/cpu/cpufreq/boost' => "0\n",
        '/sys/fs/cgroup/cpu.max' => "max 100000\n",
        '/sys/class/power_supply/BAT0/status' => "Full\n",
    ];

    private TemporaryDirectory $root;

    protected function setUp(): void
    {
        $this->root = new TemporaryDirectory();
        array_map($this->write(...), array_keys(self::FILES), self::FILES);
    }

    public function testNothingIsSaidOfAQuietMachine(): void
    {
        self::assertSame([], (new Preflight(2, $this->root->path))->spoilers(['apcu' => '5.1.25'], true));
    }

    /** @return iterable<string, array{string, string, non-empty-string}> */
    public static function machines(): iterable
    {
        yield 'turbo of AMD' => ['/sys/devices/system/cpu/cpufreq/boost', "1\n", 'Turbo boost is on'];
        yield 'turbo of Intel' => ['/sys/devices/system/cpu/intel_pstate/no_turbo', "0\n", 'Turbo boost is on'];
        yield 'governor' => [
            '/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor',
            "powersave\n",
            'The CPU governor is powersave',
        ];
        yield 'container' => ['/sys/fs/cgroup/cpu.max', "150000 100000\n", 'The container may use 1.5 of 2 cores'];
        yield 'container of version 1' => [
            '/sys/fs/cgroup/cpu/cpu.cfs_quota_us',
            "50000\n",
            'The container may use 0.5 of 2 cores',
        ];
        yield 'swap' => [
            '/proc/meminfo',
            "SwapTotal:      1000000 kB\nSwapFree:       500000 kB\n",
            '488 MB are swapped out',
        ];
        yield 'battery' => ['/sys/class/power_supply/BAT0/status', "Discharging\n", 'The machine runs on its battery'];
        yield 'load' => [
            '/proc/loadavg',
            "1.50 1.00 1.00 1/100 1000\n",
            'Load average 1.5 on 2 cores before the run: the machine was busy',
        ];
    }

    /** @param non-empty-string $message */
    #[DataProvider('machines')]
    public function testWhatSpoilsARunIsNamed(string $file, string $text, string $message): void
    {
        $this->write($file, $text);
        $this->write('/sys/fs/cgroup/cpu/cpu.cfs_period_us', "100000\n");
        $spoilers = (new Preflight(2, $this->root->path))->spoilers([], true);
        self::assertCount(1, $spoilers);
        self::assertStringStartsWith($message, $spoilers[0]);
    }

    public function testStealTimeAndOtherProcessesAreMeasuredDuringTheRun(): void
    {
        $preflight = new Preflight(2, $this->root->path);
        // Ten seconds on two cores: 4 s by other processes, 0.6 s of steal time.
        $this->write('/proc/stat', "cpu  400 0 200 11540 0 0 0 60 0 0\n");
        $spoilers = $preflight->spoilers([], true);
        self::assertCount(2, $spoilers);
        self::assertStringStartsWith('Other virtual machines took 3 % of the processor', $spoilers[0]);
        self::assertMatchesRegularExpression('/^Other processes took (39|40) % of a core/', $spoilers[1]);
    }

    public function testWhatPhpHasLoadedIsNamed(): void
    {
        $spoilers = (new Preflight(2, $this->root->path))
            ->spoilers(['apcu' => '5.1.22', 'ddtrace' => '1.0'], false, true);
        self::assertCount(3, $spoilers);
        self::assertStringStartsWith('The extension ddtrace is loaded', $spoilers[0]);
        self::assertStringStartsWith('opcache is not loaded', $spoilers[1]);
        self::assertStringStartsWith('APCu 5.1.22 is older than 5.1.25', $spoilers[2]);
    }

    public function testOldApcuSpoilsOnlyRunsThatFillItsMemory(): void
    {
        $preflight = new Preflight(2, $this->root->path);
        self::assertSame([], $preflight->spoilers(['apcu' => '5.1.22'], true));
        self::assertCount(1, $preflight->spoilers(['apcu' => '5.1.22'], true, true)); // the control
    }

    public function testOneCoreIsNamed(): void
    {
        self::assertStringStartsWith(
            'There is one core',
            (new Preflight(1, $this->root->path))->spoilers([], true)[0] ?? '',
        );
    }

    private function write(string $file, string $text): void
    {
        $path = $this->root->path . $file;
        if (!is_dir(\dirname($path))) {
            mkdir(\dirname($path), recursive: true);
        }
        file_put_contents($path, $text);
    }
}

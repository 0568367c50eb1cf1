<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Engine;

use PHPUnit\Framework\Attributes\Group;
use Symfony\Component\Process\Process;

/** The default settings in a container whose /dev/shm has 64 MiB. */
#[Group('proof')]
final class SmallMemoryTest extends EngineTestCase
{
    private const MIB = 1 << 20;

    /** Runs a command with its own /dev/shm. */
    private const CONTAINER = ['unshare', '--mount', 'sh', '-c', 'mount -t tmpfs -o size=64m,mode=1777 tmpfs /dev/shm && exec "$@"', 'sh'];

    private const DEFAULTS = ['larder.path' => null, 'larder.size' => null];

    private string $log;

    protected function setUp(): void
    {
        parent::setUp();
        $attempt = new Process([...self::CONTAINER, 'true']);
        if ($attempt->run() !== 0) {
            self::markTestSkipped('nothing can be mounted here: ' . trim($attempt->getErrorOutput()));
        }
        $this->log = $this->sandbox->folder() . '/errors';
    }

    public function testSegmentFitsTheAvailableMemory(): void
    {
        $fpm = $this->container();
        self::assertSame(64.0 * self::MIB, $fpm->run('return disk_free_space("/dev/shm");'));
        $this->assertWorks($fpm, atLeast: 56, atMost: 64);

        // Later processes find it, though it is smaller than the settings say.
        $other = $this->sandbox->commandLine(ini: self::DEFAULTS, through: ['nsenter', '--mount', '--root', '--target', (string) $fpm->master()]);
        self::assertSame('value', $other->run('return larder_fetch("value");'));
        self::assertTrue($other->run('return larder_store("value", "of the other");'));
        self::assertSame('of the other', $fpm->run('return larder_fetch("value");'));
    }

    public function testSegmentLeavesOthersTheirMemory(): void
    {
        $fpm = $this->container();
        $this->take($fpm, 20 * self::MIB);
        $this->assertWorks($fpm, atLeast: 56, atMost: 64);
        // a sixteenth stays free, except for memory that the index still needed
        self::assertGreaterThan(2.0 * self::MIB, $fpm->run('return disk_free_space("/dev/shm");'));
    }

    /** Reading and counting entries uses none of the memory, and it is not allocated all at once. */
    public function testMemoryIsTakenAsNeeded(): void
    {
        $fpm = $this->container();
        $free = $fpm->run('larder_fetch("value"); larder_exists("value"); larder_delete("value"); ob_start(); phpinfo(INFO_MODULES); ob_end_clean(); return [larder_info()["available"], larder_info()["path"], glob("/dev/shm/*"), disk_free_space("/dev/shm")];');
        self::assertSame([true, '', [], 64.0 * self::MIB], $free);
        $root = new Process([...self::CONTAINER, 'sh', '-c', \PHP_BINARY . ' -i >/dev/null; ls -A /dev/shm']);
        self::assertSame('', $root->mustRun()->getOutput());

        self::assertTrue($fpm->run('return larder_store("value", "value");'));
        self::assertGreaterThan(62.0 * self::MIB, $fpm->run('return disk_free_space("/dev/shm");'));
        $fpm->run('for ($i = 0; $i < 1_000; ++$i) { larder_store("$i", str_repeat("$i ", 5_000)); }');
        self::assertLessThan(48.0 * self::MIB, $fpm->run('return disk_free_space("/dev/shm");'));
        self::assertGreaterThan(10 * self::MIB, $fpm->run('larder_clear(); return larder_release();'));
        self::assertGreaterThan(54.0 * self::MIB, $fpm->run('return disk_free_space("/dev/shm");'));
    }

    public function testSiteWorksWithoutACacheInTooLittleMemory(): void
    {
        $fpm = $this->container();
        $this->take($fpm, 60 * self::MIB);
        $request = 'return [larder_store("value", "value"), larder_fetch("value", "none"), larder_exists("value"), larder_increment("count"), larder_delete("value"), larder_clear()];';
        $without = [false, 'none', false, false, false, false];
        for ($i = 0; $i < 5; ++$i) {
            self::assertSame($without, $fpm->run($request));
        }
        $reason = '/dev/shm/larder-' . User::site()->id . ' has 4 MiB free, the least for a segment is 8 MiB; free some or set larder.path';
        self::assertSame([false, $reason], $fpm->run('return [larder_info()["available"], larder_info()["reason"]];'));
        self::assertSame(1, substr_count($this->logged(), $reason), 'said once, not in every request');
        self::assertStringContainsString('larder: no cache is available in this process: ', $this->logged());

        $fpm->run('return unlink("/dev/shm/taken");');
        $this->assertWorks($fpm, atLeast: 56, atMost: 64);
        $with = 0;
        for ($i = 0; $i < 5; ++$i) {
            $with += $fpm->run($request) !== $without ? 1 : 0;
        }
        self::assertSame(5, $with);
        Proof::record('neighbours.full-memory', 5, 'requests without room for a segment, which went on without a cache and said why', 0);
        Proof::control('neighbours.full-memory', 'the same requests when there is room', 5, $with);
    }

    /** Touched pages have their memory: writing to them is safe, whatever others do later. */
    public function testMemoryFilledByOthersIsHarmless(): void
    {
        $fpm = $this->container();
        $worker = $fpm->pid();
        $this->take($fpm, self::MIB);
        $this->assertWorks($fpm, atLeast: 56, atMost: 64);
        self::assertSame(0.0, $fpm->run('$file = fopen("/dev/shm/rest", "w"); while (@fwrite($file, str_repeat("x", 4_096)) > 0); return disk_free_space("/dev/shm");'));

        self::assertSame(0, $fpm->run('for ($i = 0, $refused = 0; $i < 3_000; ++$i) { $refused += !larder_store("$i", str_repeat("$i", 10_000)); } return $refused;'));
        self::assertSame($worker, $fpm->pid());
        self::assertStringNotContainsString('SIGBUS', $fpm->log());
        // a new worker attaches, though nothing new could be created
        $fpm->server->reload();
        self::assertSame(str_repeat('2999', 10_000), $fpm->run('return larder_fetch("2999");'));
    }

    private function container(): Fpm
    {
        return $this->sandbox->fpm(ini: [...self::DEFAULTS, 'log_errors' => 1, 'error_log' => $this->log], through: self::CONTAINER);
    }

    private function take(Fpm $fpm, int $bytes): void
    {
        self::assertSame($bytes, $fpm->run("return file_put_contents('/dev/shm/taken', str_repeat('x', $bytes));"));
    }

    private function logged(): string
    {
        return is_file($this->log) ? (string) file_get_contents($this->log) : '';
    }

    /** Limits in MiB of the memory that the segment may use. */
    private function assertWorks(Fpm $fpm, int $atLeast, int $atMost): void
    {
        self::assertTrue($fpm->run('return larder_store("value", "value");'), $fpm->text('return larder_info()["reason"];'));
        $size = $fpm->figure('size');
        self::assertGreaterThanOrEqual($atLeast * self::MIB, $size);
        self::assertLessThanOrEqual($atMost * self::MIB, $size);
        self::assertSame(64 * self::MIB, $fpm->figure('size_asked'));
        self::assertSame('value', $fpm->run('return larder_fetch("value");'));
        self::assertSame(0, $fpm->run('for ($i = 0, $refused = 0; $i < 1_000; ++$i) { $refused += !larder_store("$i", str_repeat("$i ", 10_000)); } return $refused;'));
        self::assertTrue($fpm->run('return larder_store("value", "value");'));
        $said = \sprintf('has room for %d of the 64 MiB that larder.size asks for', $size >> 20);
        self::assertSame($size < 64 * self::MIB ? 1 : 0, substr_count($this->logged(), $said), $this->logged());
    }
}

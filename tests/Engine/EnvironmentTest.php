<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Engine;

use PHPUnit\Framework\Attributes\DataProvider;
use Symfony\Component\Process\Process;

/** Processes of one user share one cache, even if the system gives them different environments. */
final class EnvironmentTest extends EngineTestCase
{
    /** @return iterable<string, array{list<string>, string}> prefix of a command, and what PHP then sees */
    public static function surroundings(): iterable
    {
        yield 'no /proc' => [['unshare', '--mount', 'sh', '-c', 'umount -l /proc && exec "$@"', 'sh'], '!is_dir("/proc/self")'];
        yield 'a /proc without what is not a process, as by ProcSubset=pid' => [['unshare', '--mount', 'sh', '-c', 'mount -t proc -o subset=pid proc /proc && exec "$@"', 'sh'], '!is_dir("/proc/sys") && is_dir("/proc/self")'];
        yield 'a time namespace, a day ahead' => [['unshare', '--time', '--fork', '--kill-child', '--monotonic', '86400', '--boottime', '86400'], '(float) file_get_contents("/proc/uptime") > 86_400'];
        yield 'a time namespace, two days ahead since it was suspended' => [['unshare', '--time', '--fork', '--kill-child', '--monotonic', '86400', '--boottime', '172800'], '(float) file_get_contents("/proc/uptime") > 172_800'];
        yield 'a limit of file sizes' => [['sh', '-c', 'ulimit -f 100; exec "$@"', 'sh'], 'true'];
    }

    /** @param list<string> $through */
    #[DataProvider('surroundings')]
    public function testProcessesShareOneCache(array $through, string $control): void
    {
        $attempt = new Process([...$through, 'true']);
        if ($attempt->run() !== 0) {
            self::markTestSkipped('this machine does not allow it: ' . trim($attempt->getErrorOutput()));
        }
        $usual = $this->sandbox->commandLine();
        $usual->run('larder_store("short", 1, 0.2); larder_store("value", 1, 3_600);');
        $other = $this->sandbox->commandLine(through: $through);
        self::assertTrue($other->run("return $control;"), 'the control');
        usleep(250_000);
        self::assertSame([1, null, true, true], $other->run('return [larder_fetch("value"), larder_fetch("short"), larder_store("other", 2, 3_600), larder_store("other short", 2, 0.2)];'));
        usleep(250_000);
        self::assertSame([2, null, 1], $usual->run('return [larder_fetch("other"), larder_fetch("other short"), larder_fetch("value")];'));

        // Each process checks its segment once a second, and must not take the other's for a wrong one.
        $segment = $this->sandbox->segments();
        self::assertCount(1, $segment);
        $inode = fileinode($segment[0]);
        for ($i = 0; $i < 3; ++$i) {
            usleep(1_050_000);
            foreach ([$usual, $other] as $php) {
                self::assertSame([1, 2], $php->run('for ($i = 0; $i < 20; ++$i) { larder_exists("value"); } return [larder_fetch("value"), larder_fetch("other")];'));
            }
            clearstatcache();
            self::assertSame($inode, fileinode($segment[0]));
        }
    }

    public function testFileSizeLimitIsReported(): void
    {
        $php = $this->sandbox->commandLine(through: ['sh', '-c', 'ulimit -f 100; exec "$@"', 'sh']);
        self::assertSame([false, 'no process has made the segment, and this one may not write files of 8 MiB; raise ulimit -f or set larder.size smaller'], $php->run('return [larder_store("value", 1), larder_info()["reason"]];'));
        self::assertSame([], $this->sandbox->segments());
    }

    public function testFolderOnADiskIsRefused(): void
    {
        $folder = $this->sandbox->folder();
        $php = $this->sandbox->commandLine(ini: ['larder.path' => $folder]);
        $type = new Process(['stat', '--file-system', '--format=%T', $folder]);
        $type->mustRun();
        if (trim($type->getOutput()) === 'tmpfs') {
            self::markTestSkipped("$folder is in memory");
        }
        self::assertSame([false, "$folder is not in memory: mount a tmpfs there, or set larder.path to a folder on one"], $php->run('return [larder_store("value", 1), larder_info()["reason"]];'));
        self::assertSame(['.', '..'], scandir($folder), 'nothing was made there');
    }
}

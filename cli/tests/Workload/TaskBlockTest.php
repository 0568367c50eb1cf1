<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Workload;

use Larder\Cli\System\TemporaryDirectory;
use Larder\Cli\Workload\TaskBlock;
use PHPUnit\Framework\Attributes\TestWith;

final class TaskBlockTest extends TaskTestCase
{
    /** @param non-empty-string $problem */
    #[TestWith([0, 1.0, 'hangs: no answer for 1 s'])]
    #[TestWith([\SIGSEGV, 60.0, 'exited with status 139'])]
    public function testForksOfAProcessThatHangsOrDiesEndWithIt(int $signal, float $patience, string $problem): void
    {
        $directory = new TemporaryDirectory();
        $file = $directory->path . '/processes';
        $samples = self::samples(new TaskBlock(new HangingTask($file, $signal), patience: $patience));
        self::assertStringStartsWith($problem, $samples[0]->problem);
        $processes = explode(' ', (string) file_get_contents($file));
        self::assertCount(2, $processes);
        foreach ($processes as $process) {
            // The kernel may need a moment to end it.
            $end = microtime(true) + 60;
            while (preg_match('/\) [^ZX] /', (string) @file_get_contents("/proc/$process/stat")) === 1) {
                self::assertLessThan($end, microtime(true), "$process lives");
                usleep(1000);
            }
        }
    }
}

<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Workload;

use Larder\Cli\Measure\Subject;
use Larder\Cli\Workload\Task;

/** Writes its process number and that of a fork to a file, and says nothing more; or dies, and leaves the fork. */
final class HangingTask implements Task
{
    private const SECONDS = 300;

    /** @param int $signal that it gives itself, instead of hanging; 0: none */
    public function __construct(private readonly string $file, private readonly int $signal = 0) {}

    public function name(): string
    {
        return 'hangs';
    }

    public function subjects(): array
    {
        return [new Subject('test', 'hanging', null, null, null, 'get')];
    }

    public function run(\Closure $tell): void
    {
        $fork = pcntl_fork();
        if ($fork > 0) {
            file_put_contents($this->file, \sprintf('%d %d', getmypid(), $fork));
            if ($this->signal > 0) {
                posix_kill((int) getmypid(), $this->signal);
            }
        }
        sleep(self::SECONDS);
    }
}

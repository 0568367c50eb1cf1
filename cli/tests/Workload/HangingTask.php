<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Workload;

use Larder\Cli\Measure\Subject;
use Larder\Cli\Workload\Task;

/** Writes its process id and that of a fork to a file, then hangs silently; or dies, and leaves the fork. */
final class HangingTask implements Task
{
    private const SECONDS = 300;

    /** @param int $signal signal that it sends to itself instead of hanging; 0: none */
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

<?php

declare(strict_types=1);

namespace Larder\Cli\Workload;

use Larder\Cli\Measure\Block;
use Larder\Cli\Measure\Sample;
use Larder\Cli\Measure\Unavailable;
use Larder\Cli\System\Executable;
use Larder\Cli\System\Php;
use Larder\Cli\System\ServerFailed;

/** The system calls of an operation, counted by strace. Those of a server are not counted. */
final class SystemCalls implements Block
{
    private ?TaskBlock $traced = null;

    /** @param string $directory for strace's output */
    public function __construct(
        private readonly SystemCallsTask $task,
        private readonly Php $php,
        private readonly string $directory,
    ) {}

    public function name(): string
    {
        return $this->task->name();
    }

    public function subjects(): array
    {
        return $this->task->subjects();
    }

    public function run(\Closure $tell): void
    {
        try {
            $strace = Executable::find(['strace'], 'strace')->path;
        } catch (ServerFailed $missing) {
            throw new Unavailable($missing->getMessage(), 0, $missing);
        }
        $output = $this->directory . '/system-calls';
        @unlink($output);
        $this->traced = new TaskBlock($this->task, $this->php, [$strace, '-qq', '-o', $output]);
        $samples = [];
        $this->traced->run(static function (Sample $sample) use (&$samples): void {
            $samples[] = $sample;
        });
        $counts = self::counts((string) @file_get_contents($output));
        if ($counts === []) {
            throw new Unavailable('strace may not trace here: ' . ($samples[0]->problem ?? ''));
        }
        foreach ($samples as $i => $sample) {
            $tell(
                $sample->figure === null ? $sample : new Sample($sample->subject, ($counts[$i] ?? 0) / $sample->figure),
            );
        }
    }

    public function stop(): void
    {
        $this->traced?->stop();
    }

    /** @return list<int> number of calls between two marks */
    private static function counts(string $trace): array
    {
        $counts = [];
        for ($mark = 0; ($to = strpos($trace, SystemCallsTask::MARK . ($mark + 1))) !== false; ++$mark) {
            $from = (int) strrpos($trace, SystemCallsTask::MARK . $mark);
            // The text holds the rest of one mark's line, the calls, and the beginning of the next mark's line.
            $counts[] = (int) preg_match_all('/\n\w+\(/', substr($trace, $from, $to - $from)) - 1;
        }

        return $counts;
    }
}

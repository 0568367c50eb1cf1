<?php

declare(strict_types=1);

namespace Larder\Cli\Workload;

use Larder\Cli\Measure\Block;
use Larder\Cli\Measure\Sample;
use Larder\Cli\Measure\Subject;
use Larder\Cli\Measure\Unavailable;
use Larder\Cli\Measure\Unit;
use Larder\Cli\System\Php;
use Larder\Cli\System\TiedProcess;
use Larder\Cli\Timing\Histogram;
use Larder\Exception\CacheException;
use Symfony\Component\Process\Exception\ProcessTimedOutException;
use Symfony\Component\Process\Process;

/** A task in a fresh process, bin/workload.php. */
final class TaskBlock implements Block
{
    private const SILENT_SECONDS = 120.0;

    /** Prefix of result lines; other lines are warnings of PHP. */
    private const SAMPLE = 'larder-sample ';
    private const UNAVAILABLE = 'larder-unavailable ';

    private ?Process $process = null;
    private bool $wasMeasured = false;

    /**
     * @param list<string> $through a command that runs the command after it, such as strace
     * @param float $patience seconds without output after which a process is killed, with its forks
     */
    public function __construct(
        private readonly Task $task,
        private readonly Php $php = new Php(),
        private readonly array $through = [],
        private readonly float $patience = self::SILENT_SECONDS,
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
        $outstanding = [];
        foreach ($this->task->subjects() as $subject) {
            $outstanding[$subject->key()] = $subject;
        }
        $unread = $unavailable = '';
        $this->process = new Process(
            TiedProcess::toThisProcess(
                [...$this->through, ...$this->php->command([\dirname(__DIR__, 2) . '/bin/workload.php'])],
                'TERM',
            ),
            null,
            $this->php->environment(),
            base64_encode(serialize($this->task)),
            null,
        );
        $this->process->setIdleTimeout($this->patience);

        try {
            TiedProcess::run(
                $this->process,
                static function (string $type, string $data) use (&$unread, &$outstanding, &$unavailable, $tell): void {
                    if ($type !== Process::OUT) {
                        return;
                    }
                    $lines = explode("\n", $unread . $data);
                    $unread = array_pop($lines);
                    foreach ($lines as $line) {
                        if (str_starts_with($line, self::UNAVAILABLE)) {
                            $unavailable = substr($line, \strlen(self::UNAVAILABLE));
                        } elseif (str_starts_with($line, self::SAMPLE)) {
                            $sample = self::sample(substr($line, \strlen(self::SAMPLE)));
                            unset($outstanding[$sample->subject->key()]);
                            $tell($sample);
                        }
                    }
                },
            );
            $problem = \sprintf(
                'exited with status %d: %s',
                (int) $this->process->getExitCode(),
                substr(trim($this->process->getErrorOutput()), 0, 300),
            );
        } catch (ProcessTimedOutException) {
            $problem = \sprintf('hangs: no answer for %g s', $this->patience);
        }
        if ($unavailable !== '') {
            if (!$this->wasMeasured) {
                throw new Unavailable($unavailable);
            }
            $problem = 'can no longer be opened: ' . $unavailable;
        }
        $this->wasMeasured = true;
        foreach ($outstanding as $subject) {
            $tell(Sample::failed($subject, rtrim($problem, ': ')));
        }
    }

    public function stop(): void
    {
        if ($this->process !== null) {
            TiedProcess::end($this->process, 1.0);
        }
    }

    /** Runs in the fresh process. The task comes from standard input, as a DSN may contain a password. */
    public static function work(): void
    {
        // A garbage collection in a loop would be counted to one operation at random.
        gc_disable();
        $task = unserialize((string) base64_decode((string) stream_get_contents(\STDIN), true));
        if (!$task instanceof Task) {
            throw new \InvalidArgumentException('bin/workload.php is started by larder compare, which gives it a task');
        }

        try {
            $task->run(static function (Sample $sample): void {
                fwrite(\STDOUT, self::SAMPLE . base64_encode(serialize($sample)) . "\n");
            });
        } catch (CacheException|Unavailable $unavailable) {
            fwrite(\STDOUT, self::UNAVAILABLE . strtr($unavailable->getMessage(), "\n", ' ') . "\n");
        }
    }

    private static function sample(string $line): Sample
    {
        $sample = unserialize(
            (string) base64_decode($line, true),
            ['allowed_classes' => [Sample::class, Subject::class, Unit::class, Histogram::class]],
        );

        return $sample instanceof Sample ? $sample : throw new \UnexpectedValueException(
            'a measuring process told something else than a sample',
        );
    }
}

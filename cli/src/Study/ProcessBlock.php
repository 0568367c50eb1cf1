<?php

declare(strict_types=1);

namespace Larder\Cli\Study;

use Larder\Cli\Compare\Handshake;
use Larder\Cli\Compare\Target;
use Larder\Cli\Measure\Block;
use Larder\Cli\Measure\Sample;
use Larder\Cli\Measure\Subject;
use Larder\Cli\Measure\Unavailable;
use Larder\Cli\System\CpuAffinity;
use Larder\Cli\System\TemporaryDirectory;
use Larder\Cli\System\TiedProcess;
use Symfony\Component\Process\Exception\ProcessSignaledException;
use Symfony\Component\Process\Exception\ProcessTimedOutException;
use Symfony\Component\Process\Process;

/** One store measured by one fresh process, or by several that start together; their figure is then the mean. */
final class ProcessBlock implements Block
{
    /** A process that prints nothing for this long is killed. */
    private const SILENT_SECONDS = 60.0;

    /** @var list<Process> */
    private array $running = [];

    /** @var array<string, int> by key of the subject, in all runs */
    private array $operations = [];

    /** @var array<string, true> by key of the subject */
    private array $cutShort = [];

    /**
     * @param non-empty-list<array{Subject, Cell}> $figures what is measured, and how
     * @param int $nanoseconds time limit of a cell
     * @param positive-int $processes
     * @param bool $isPinned true if it stays on one core, as its server does (see Targets)
     * @param bool $isOrdered true if the figures must be measured in this order; else it is shuffled each time
     * @param \Closure(): void|null $before called before the processes are started
     */
    public function __construct(
        private readonly string $name,
        private readonly array $figures,
        private readonly Target $target,
        private readonly int $nanoseconds,
        private readonly int $processes = 1,
        private readonly bool $isPinned = true,
        private readonly bool $isOrdered = false,
        private readonly ?\Closure $before = null,
    ) {}

    public function name(): string
    {
        return $this->name;
    }

    public function subjects(): array
    {
        return array_column($this->figures, 0);
    }

    /** Operations of a subject that were measured in all runs of this block so far. */
    public function operations(Subject $subject): int
    {
        return $this->operations[$subject->key()] ?? 0;
    }

    /** True if the time limit of a cell was reached before it did all its operations, in any run so far. */
    public function isCutShort(Subject $subject): bool
    {
        return isset($this->cutShort[$subject->key()]);
    }

    public function run(\Closure $tell): void
    {
        if ($this->before !== null) {
            ($this->before)();
        }
        $figures = $this->figures;
        if (!$this->isOrdered) {
            shuffle($figures);
        }
        $cells = array_column($figures, 1);
        $directory = $this->processes === 1 ? null : new TemporaryDirectory();
        $signal = $directory === null ? null : new StartSignal($directory->path . '/start');
        for ($number = 0; $number < $this->processes; ++$number) {
            $job = new Job(
                $this->target->address,
                $cells,
                $this->nanoseconds,
                $number,
                $signal === null ? '' : $signal->path,
            );
            $process = new Process(
                TiedProcess::toThisProcess($this->target->php->command([\dirname(__DIR__, 2) . '/bin/study.php'])),
                null,
                $this->target->php->environment(),
                $job->line(),
                null,
            );
            $process->setIdleTimeout(self::SILENT_SECONDS);
            $this->running[] = $process;
        }

        try {
            if ($this->isPinned) {
                CpuAffinity::pinned($this->start(...));
            } else {
                $this->start();
            }
            if ($signal !== null) {
                $isReady = static fn(Process $process): bool => str_contains($process->getOutput(), "}\n");
                $this->forEach(
                    static fn(Process $process): bool => $isReady($process)
                        || $process->waitUntil(static fn(): bool => $isReady($process)),
                );
                $signal->give();
            }
            $this->forEach(static fn(Process $process): int => $process->wait());
            $this->tell($tell, $figures);
        } finally {
            $this->stop();
        }
    }

    public function stop(): void
    {
        foreach ($this->running as $process) {
            $process->stop(0);
        }
        $this->running = [];
    }

    private function start(): void
    {
        foreach ($this->running as $process) {
            $process->start();
        }
    }

    /** @param \Closure(Process): mixed $wait */
    private function forEach(\Closure $wait): void
    {
        foreach ($this->running as $process) {
            try {
                $wait($process);
            } catch (ProcessTimedOutException|ProcessSignaledException) {
                // The process has ended, and tell() reports that.
            }
        }
    }

    /**
     * @param \Closure(Sample): void $tell
     * @param list<array{Subject, Cell}> $figures in the order measured
     * @throws Unavailable
     */
    private function tell(\Closure $tell, array $figures): void
    {
        $measurements = array_map($this->measurements(...), $this->running);
        foreach ($figures as $number => [$subject, $cell]) {
            $nanoseconds = [];
            $failures = 0;
            $problem = '';
            foreach ($measurements as $ofProcess) {
                $measurement = $ofProcess[$number];
                $failures += $measurement->failures;
                $problem = $problem === '' ? $measurement->problem : $problem;
                $nanoseconds[] = $measurement->nanoseconds;
                $this->operations[$subject->key()] = $this->operations($subject) + $measurement->operations;
                if ($measurement->nanoseconds !== null && $measurement->operations < $cell->operations) {
                    $this->cutShort[$subject->key()] = true;
                }
            }
            $nanoseconds = array_filter($nanoseconds, is_float(...));
            $isWhole = $nanoseconds !== [] && \count($nanoseconds) === $this->processes;
            $tell(new Sample(
                $subject,
                $isWhole ? array_sum($nanoseconds) / \count($nanoseconds) : null,
                $failures,
                $problem,
            ));
        }
    }

    /**
     * @return array<int, Measurement> one for each cell
     * @throws Unavailable
     */
    private function measurements(Process $process): array
    {
        $lines = array_values(array_filter(
            explode("\n", $process->getOutput()),
            static fn(string $line): bool => str_starts_with($line, '{') && str_ends_with($line, '}'),
        ));
        $handshake = isset($lines[0]) ? Handshake::fromLine($lines[0]) : null;
        if ($handshake !== null && $handshake->unavailable !== '') {
            throw new Unavailable($handshake->unavailable);
        }
        $measurements = [];
        foreach (\array_slice($lines, 1) as $line) {
            $measurement = Measurement::fromLine($line);
            $measurements[$measurement->cell] = $measurement;
        }
        $code = $process->getExitCode();
        $problem = $code === null || $process->isRunning()
            ? \sprintf('hangs: no answer for %g s', self::SILENT_SECONDS)
            : rtrim(
                \sprintf('exited with status %d: %s', $code, substr(trim($process->getErrorOutput()), 0, 300)),
                ': ',
            );
        foreach (array_keys($this->figures) as $number) {
            $measurements[$number] ??= new Measurement($number, null, 1, $problem);
        }

        return $measurements;
    }
}

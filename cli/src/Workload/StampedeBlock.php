<?php

declare(strict_types=1);

namespace Larder\Cli\Workload;

use Larder\Cli\Compare\Target;
use Larder\Cli\Measure\Block;
use Larder\Cli\Measure\Sample;
use Larder\Cli\Measure\Subject;
use Larder\Cli\Measure\Unavailable;
use Larder\Cli\System\TiedProcess;
use Symfony\Component\Process\Exception\ProcessTimedOutException;
use Symfony\Component\Process\Process;

/** See Stampede. */
final class StampedeBlock implements Block
{
    private const PATIENCE = 120.0;

    private ?Process $process = null;

    /**
     * @param string $directory for a file that counts computations
     * @param float $seconds that the origin needs
     */
    public function __construct(
        private readonly Target $target,
        private readonly string $directory,
        private readonly int $processes,
        private readonly float $seconds,
        private readonly float $lease,
    ) {}

    public function name(): string
    {
        return 'stampede, ' . $this->target->name();
    }

    public function subjects(): array
    {
        return array_map(
            fn(string $operation): Subject => Stampede::subject(
                $this->target->store,
                $this->target->connection,
                $operation,
                $this->processes,
                $this->seconds,
            ),
            array_keys(Stampede::OPERATIONS),
        );
    }

    public function run(\Closure $tell): void
    {
        $job = [
            'dsn' => $this->target->address, 'directory' => $this->directory, 'processes' => $this->processes,
            'seconds' => $this->seconds, 'lease' => $this->lease,
        ];
        $this->process = new Process(
            TiedProcess::toThisProcess(
                $this->target->php->command([\dirname(__DIR__, 2) . '/bin/stampede.php']),
                'TERM',
            ),
            null,
            $this->target->php->environment(),
            json_encode($job, \JSON_THROW_ON_ERROR),
            self::PATIENCE,
        );

        try {
            TiedProcess::run($this->process);
            $answer = json_decode($this->process->getOutput(), true);
            $problem = trim($this->process->getErrorOutput());
        } catch (ProcessTimedOutException) {
            $answer = null;
            $problem = \sprintf('hangs: no answer for %g s', self::PATIENCE);
        }
        if (\is_array($answer) && \is_string($answer['missing'] ?? null)) {
            throw new Unavailable($answer['missing']);
        }
        foreach ($this->subjects() as $subject) {
            [$scene, $name, $factor] = Stampede::OPERATIONS[$subject->operation];
            $figures = \is_array($answer) ? $answer[$scene] ?? null : null;
            $figure = \is_array($figures) ? $figures[$name] ?? null : null;
            $failure = \is_array($answer) && \is_string($answer['failed'] ?? null) ? $answer['failed'] : $problem;
            $tell(
                is_numeric($figure)
                    ? new Sample($subject, $factor * (float) $figure)
                    : Sample::failed($subject, $failure === '' ? 'gave no figure' : $failure),
            );
        }
    }

    public function stop(): void
    {
        if ($this->process !== null) {
            TiedProcess::end($this->process, 5.0);
        }
    }
}

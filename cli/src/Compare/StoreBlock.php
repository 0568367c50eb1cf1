<?php

declare(strict_types=1);

namespace Larder\Cli\Compare;

use Larder\Cli\Measure\Block;
use Larder\Cli\Measure\Sample;
use Larder\Cli\Measure\Subject;
use Larder\Cli\Measure\Unavailable;
use Larder\Cli\System\TiedProcess;
use Symfony\Component\Process\Exception\ProcessTimedOutException;
use Symfony\Component\Process\Process;

/** One store measured by a fresh process: every value and operation of a plan. */
final class StoreBlock implements Block
{
    /** A process that prints nothing for this long is killed. */
    private const SILENT_SECONDS = 60.0;

    private const TABLE = 'compare';

    private ?Process $process = null;

    public function __construct(
        private readonly Target $target,
        private readonly Plan $plan,
        private readonly string $table = self::TABLE,
    ) {}

    public function name(): string
    {
        return $this->table === self::TABLE ? $this->target->name() : $this->table . ', ' . $this->target->name();
    }

    public function subjects(): array
    {
        $subjects = [];
        foreach ($this->plan->values as $value) {
            foreach ($this->plan->operations as $operation) {
                $subjects[] = $this->target->subject($this->table, $value, $operation);
            }
        }

        return $subjects;
    }

    public function run(\Closure $tell): void
    {
        $outstanding = $this->plan->cells();
        $handshake = null;
        $unread = '';
        $this->process = new Process(
            TiedProcess::toThisProcess($this->target->php->command([\dirname(__DIR__, 2) . '/bin/measure.php'])),
            null,
            $this->target->php->environment(),
            (new Job($this->target->address, $outstanding, $this->plan->budget))->line(),
            null,
        );
        $this->process->setIdleTimeout(self::SILENT_SECONDS);

        try {
            TiedProcess::run(
                $this->process,
                function (string $type, string $data) use (&$outstanding, &$handshake, &$unread, $tell): void {
                    $lines = explode("\n", $unread . ($type === Process::OUT ? $data : ''));
                    $unread = array_pop($lines);
                    foreach ($lines as $line) {
                        if (!str_starts_with($line, '{')) {
                            continue; // a warning that PHP itself prints at startup
                        }
                        if ($handshake === null) {
                            $handshake = Handshake::fromLine($line);
                        } else {
                            array_shift($outstanding);
                            $measurement = Measurement::fromLine($line);
                            $tell(new Sample(
                                $this->subject($measurement->value, $measurement->operation),
                                $measurement->nanoseconds,
                                $measurement->failures,
                                $measurement->problem,
                                drift: $measurement->drift,
                            ));
                        }
                    }
                },
            );
            $end = \sprintf('exited with status %d', (int) $this->process->getExitCode());
        } catch (ProcessTimedOutException) {
            $end = \sprintf('hangs: no answer for %g s', self::SILENT_SECONDS);
        }
        if ($handshake !== null && $handshake->unavailable !== '') {
            throw new Unavailable($handshake->unavailable);
        }
        $problem = rtrim($end . ': ' . substr(trim($this->process->getErrorOutput()), 0, 300), ': ');
        foreach ($outstanding as [$value, $operation]) {
            $tell(Sample::failed($this->subject($value, $operation), $problem));
        }
    }

    public function stop(): void
    {
        $this->process?->stop(0);
    }

    private function subject(string $value, Operation $operation): Subject
    {
        return $this->target->subject($this->table, Value::all()[$value], $operation);
    }
}

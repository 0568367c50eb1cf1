<?php

declare(strict_types=1);

namespace Larder\Cli\Compare;

use Larder\Cli\TiedProcess;
use Symfony\Component\Process\Exception\ProcessTimedOutException;
use Symfony\Component\Process\Process;

/** One store measured by one fresh process. */
final class Round
{
    /** A process that says nothing for so long is abandoned. */
    private const SILENT_SECONDS = 60.0;

    private readonly Process $process;
    private ?Handshake $handshake = null;
    private string $unread = '';

    /** @var list<array{string, Operation}> what the process has not told yet, in the order that it will */
    private array $outstanding;

    /** @param \Closure(Measurement): void $tell called for each as it comes */
    public function __construct(private readonly Target $target, private readonly Plan $plan, private readonly \Closure $tell)
    {
        $this->outstanding = $plan->cells();
        $this->process = new Process(
            TiedProcess::toThisProcess($target->php->command([\dirname(__DIR__, 2) . '/bin/measure.php'])),
            null,
            $target->php->environment(),
            (new Job($target->address, $this->outstanding, $plan->budget))->line(),
            null,
        );
        $this->process->setIdleTimeout(self::SILENT_SECONDS);
    }

    /**
     * Measures, and returns when the process has ended. What it could not tell any more counts as failed.
     *
     * @return Handshake|null null when the process ended before its handshake
     */
    public function run(): ?Handshake
    {
        try {
            $this->process->run(function (string $type, string $data): void {
                if ($type === Process::OUT) {
                    $this->read($data);
                }
            });
            $end = \sprintf('exited with status %d', (int) $this->process->getExitCode());
        } catch (ProcessTimedOutException) {
            $end = \sprintf('hangs: no answer for %g s', self::SILENT_SECONDS);
        }
        if ($this->handshake === null || $this->handshake->unavailable === '') {
            $this->fail(rtrim($end . ': ' . substr(trim($this->process->getErrorOutput()), 0, 300), ': '));
        }

        return $this->handshake;
    }

    /** Ends the process at once. */
    public function stop(): void
    {
        $this->process->stop(0);
    }

    /** Counts all that the process did not tell as failed. */
    public function fail(string $problem): void
    {
        foreach ($this->outstanding as [$value, $operation]) {
            ($this->tell)(new Measurement($value, $operation, null, 1, $problem));
        }
        $this->outstanding = [];
    }

    private function read(string $data): void
    {
        $lines = explode("\n", $this->unread . $data);
        $this->unread = array_pop($lines);
        foreach ($lines as $line) {
            if (!str_starts_with($line, '{')) {
                continue; // a warning of PHP's own while it starts
            }
            if ($this->handshake === null) {
                $this->handshake = Handshake::fromLine($line);
            } else {
                array_shift($this->outstanding);
                ($this->tell)(Measurement::fromLine($line));
            }
        }
    }
}

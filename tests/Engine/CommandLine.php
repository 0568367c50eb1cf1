<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Engine;

use Larder\Tool\Bound;
use Symfony\Component\Process\InputStream;
use Symfony\Component\Process\Process;

/** A process of the command line that runs code again and again; its variables stay. */
final class CommandLine extends Php
{
    /** Reads a line of code, writes a line with what it returned or threw. */
    public const SCRIPT = <<<'PHP'
        <?php
        while (($_line = fgets(STDIN)) !== false) {
            try {
                $_answer = [true, eval((string) base64_decode($_line))];
            } catch (\Throwable $_failure) {
                $_answer = [false, (string) $_failure];
            }
            echo base64_encode(serialize($_answer)), "\n";
            unset($_answer, $_failure);
        }
        PHP;

    public readonly Process $process;
    private readonly InputStream $input;

    /** @param list<string> $command */
    public function __construct(array $command)
    {
        $this->input = new InputStream();
        $this->process = new Process(Bound::toThisProcess($command), null, null, $this->input, null);
        $this->process->start();
    }

    public function run(string $code): mixed
    {
        $this->begin($code);

        return $this->end();
    }

    /** As run(), without waiting: end() gives the answer. */
    public function begin(string $code): void
    {
        $this->input->write(base64_encode($code) . "\n");
    }

    public function end(float $seconds = 30.0): mixed
    {
        $printed = '';
        for ($deadline = microtime(true) + $seconds; !str_ends_with($printed, "\n"); usleep(200)) {
            $printed .= $this->process->getIncrementalOutput();
            if ($printed === '' && (!$this->process->isRunning() || microtime(true) > $deadline)) {
                throw new NoAnswer(\sprintf('the command line %s: %s', $this->process->isRunning() ? 'did not answer' : 'ended', $this->process->getErrorOutput()));
            }
        }
        $answer = unserialize((string) base64_decode($printed, true), ['allowed_classes' => false]);
        if (!\is_array($answer) || $answer[0] !== true) {
            throw new NoAnswer(\is_array($answer) && \is_string($answer[1]) ? $answer[1] : $printed);
        }

        return $answer[1];
    }

    /** Ends as a script does. */
    public function finish(): void
    {
        $this->input->close();
        $this->process->wait();
    }

    public function stop(): void
    {
        $this->process->stop(0.0, \SIGKILL);
    }
}

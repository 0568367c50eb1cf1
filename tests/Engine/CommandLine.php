<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Engine;

use Larder\Cli\System\TiedProcess;

/** A command line process that runs code repeatedly; its variables stay. */
final class CommandLine extends Php
{
    /** Reads a line of code, and writes a line with its result or exception. */
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

    /** @var resource|closed-resource */
    private $process;

    /** @var resource */
    private $code;

    /** @var resource */
    private $answers;

    /** @var resource */
    private $errors;

    /** Id of the process, and of its children's session. */
    private readonly int $id;

    /** @param list<string> $command */
    public function __construct(array $command)
    {
        $this->errors = self::opened(tmpfile());
        $this->process = self::opened(proc_open(TiedProcess::toThisProcess($command), [['pipe', 'r'], ['pipe', 'w'], $this->errors], $pipes));
        [$this->code, $this->answers] = $pipes;
        $this->id = proc_get_status($this->process)['pid'];
    }

    public function run(string $code): mixed
    {
        $this->begin($code);

        return $this->end();
    }

    /** Like run(), without waiting: end() returns the answer. */
    public function begin(string $code): void
    {
        fwrite($this->code, base64_encode($code) . "\n");
    }

    public function end(int $seconds = 180): mixed
    {
        [$read, $write, $except] = [[$this->answers], [], []];
        $line = stream_select($read, $write, $except, $seconds) === 1 ? fgets($this->answers) : null;
        if (!\is_string($line)) {
            throw new PhpFailed(\sprintf('the command line %s: %s', $line === null ? 'did not answer' : 'ended', $this->printedErrors()));
        }
        $answer = unserialize((string) base64_decode($line, true), ['allowed_classes' => false]);
        if (!\is_array($answer) || $answer[0] !== true) {
            throw new PhpFailed(\is_array($answer) && \is_string($answer[1]) ? $answer[1] : $line);
        }

        return $answer[1];
    }

    /** Ends the process normally. */
    public function finish(): void
    {
        fclose($this->code);
        $this->close();
    }

    /** Kills the process; its children continue. */
    public function kill(): void
    {
        Processes::kill($this->id);
    }

    /** Kills the process and its children. */
    public function stop(): void
    {
        if (\is_resource($this->process)) {
            posix_kill(-$this->id, \SIGKILL); // the number cannot be reused before the process is closed
            $this->close();
        }
    }

    /** The process's error output. */
    public function printedErrors(): string
    {
        rewind($this->errors);

        return (string) stream_get_contents($this->errors);
    }

    private function close(): void
    {
        if (\is_resource($this->process)) {
            proc_close($this->process);
        }
    }

    /**
     * @param resource|false $resource
     * @return resource
     */
    private static function opened($resource)
    {
        return \is_resource($resource) ? $resource : throw new \RuntimeException('the command line could not be started');
    }
}

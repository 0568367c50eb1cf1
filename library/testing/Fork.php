<?php

declare(strict_types=1);

namespace Larder\Testing;

/**
 * Runs code in a process forked from this one. The process ends with SIGKILL, so it runs or closes nothing that it
 * inherited: shutdown functions, destructors, connections.
 */
final class Fork
{
    private const WAIT_SECONDS = 120.0;
    /** Microseconds between two checks for the end of the process, at most. */
    private const LONGEST_PAUSE = 2_000;

    private function __construct(public readonly int $process, private readonly string $answer) {}

    /** @param \Closure(): mixed $work its result is serialized */
    public static function start(\Closure $work): self
    {
        $answer = (string) tempnam(sys_get_temp_dir(), 'larder-fork-');
        $process = pcntl_fork();
        if ($process === -1) {
            throw new \RuntimeException('cannot fork');
        }
        if ($process === 0) {
            try {
                $outcome = [true, $work()];
            } catch (\Throwable $error) {
                $outcome = [false, (string) $error];
            }
            file_put_contents($answer, serialize($outcome));
            posix_kill(posix_getpid(), \SIGKILL);
        }

        return new self($process, $answer);
    }

    /**
     * Starts several processes. Each receives a function, and calls it when it is ready to begin. The function returns
     * once all processes have called it: on a busy machine, one may be ready seconds after the others.
     *
     * @param \Closure(int, \Closure(): void): mixed $work receives the number of the process, from 0, and that function
     * @return list<self>
     */
    public static function several(int $processes, \Closure $work): array
    {
        $pair = stream_socket_pair(\STREAM_PF_UNIX, \STREAM_SOCK_STREAM, 0);
        [$held, $end] = $pair !== false ? $pair : throw new \RuntimeException('no sockets');
        $forks = [];
        for ($process = 0; $process < $processes; ++$process) {
            $forks[] = self::start(static fn(): mixed => $work($process, static function () use ($held, $end): void {
                fclose($held);
                fread($end, 1); // returns when no process has the other end open
            }));
        }
        fclose($held);
        fclose($end);

        return $forks;
    }

    /** @param \Closure(): mixed $work */
    public static function run(\Closure $work): mixed
    {
        return self::start($work)->result();
    }

    public function kill(): void
    {
        posix_kill($this->process, \SIGKILL);
        pcntl_waitpid($this->process, $status);
        @unlink($this->answer);
    }

    /** Waits up to two minutes for the process, and returns the result of its code. */
    public function result(): mixed
    {
        $end = microtime(true) + self::WAIT_SECONDS;
        for ($pause = 100; pcntl_waitpid($this->process, $status, \WNOHANG) === 0; $pause = min(
            2 * $pause,
            self::LONGEST_PAUSE,
        )) {
            if (microtime(true) > $end) {
                $this->kill();

                throw new \RuntimeException('the forked process did not end within two minutes');
            }
            usleep($pause);
        }
        $outcome = unserialize((string) file_get_contents($this->answer));
        unlink($this->answer);
        if (!\is_array($outcome)) {
            throw new \RuntimeException('the forked process died');
        }
        if ($outcome[0] !== true) {
            throw new \RuntimeException('in the forked process: ' . (\is_string($outcome[1]) ? $outcome[1] : ''));
        }

        return $outcome[1];
    }
}

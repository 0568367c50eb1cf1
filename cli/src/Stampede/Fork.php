<?php

declare(strict_types=1);

namespace Larder\Cli\Stampede;

/**
 * Code that runs in a process forked from this one, and returns numbers. The process ends by SIGKILL, so it runs or
 * closes nothing that it inherited (shutdown functions, destructors, connections).
 */
final class Fork
{
    /** @param resource $answer ends when the forked process does */
    private function __construct(private readonly int $process, private $answer) {}

    /**
     * @param \Closure(): list<int|float> $work
     * @throws \RuntimeException if the system allows no more processes
     */
    public static function start(\Closure $work): self
    {
        [$here, $there] = self::pair();
        $process = @pcntl_fork();
        if ($process === -1) {
            throw new \RuntimeException('cannot fork: ' . pcntl_strerror(pcntl_get_last_error()));
        }
        if ($process === 0) {
            fclose($here);

            try {
                $answer = ['numbers' => $work()];
            } catch (\Throwable $error) {
                $answer = ['error' => $error->getMessage()];
            }
            fwrite(
                $there,
                json_encode(
                    $answer,
                    \JSON_INVALID_UTF8_SUBSTITUTE | \JSON_PRESERVE_ZERO_FRACTION | \JSON_THROW_ON_ERROR,
                ),
            );
            posix_kill(posix_getpid(), \SIGKILL);
        }
        fclose($there);

        return new self($process, $here);
    }

    /**
     * A pair of connected sockets.
     *
     * @return array{resource, resource}
     */
    public static function pair(): array
    {
        $pair = stream_socket_pair(\STREAM_PF_UNIX, \STREAM_SOCK_STREAM, 0);

        return $pair === false ? throw new \RuntimeException('no pair of sockets could be made') : [$pair[0], $pair[1]];
    }

    /**
     * The reason why one of these failed. Waits a moment for a process that is about to report it.
     *
     * @param list<self> $forks
     */
    public static function failure(array $forks): ?string
    {
        for ($end = microtime(true) + 1.0; microtime(true) < $end; usleep(1_000)) {
            foreach ($forks as $fork) {
                $answers = [$fork->answer];
                $none = null;
                if (stream_select($answers, $none, $none, 0) === 1) {
                    try {
                        $fork->result($end);
                    } catch (\RuntimeException $failure) {
                        return $failure->getMessage();
                    }
                }
            }
        }

        return null;
    }

    /** Does nothing if it has ended. */
    public function kill(): void
    {
        if (\is_resource($this->answer)) {
            posix_kill($this->process, \SIGKILL);
            pcntl_waitpid($this->process, $status);
            fclose($this->answer);
        }
    }

    /**
     * Waits for the process, and returns its numbers.
     *
     * @return list<float>
     * @throws \RuntimeException with the exception of the code; or if the process does not end in time
     */
    public function result(float $end): array
    {
        stream_set_timeout($this->answer, (int) max(1, ceil($end - microtime(true))));
        $json = (string) stream_get_contents($this->answer);
        $isLate = stream_get_meta_data($this->answer)['timed_out'];
        $this->kill();
        $answer = json_decode($json, true);
        if (\is_array($answer) && \is_array($answer['numbers'] ?? null)) {
            return array_map(floatval(...), array_values(array_filter($answer['numbers'], \is_numeric(...))));
        }
        $error = \is_array($answer) ? $answer['error'] ?? null : null;

        throw new \RuntimeException(match (true) {
            $isLate => 'a process got no reply in time',
            default => 'a process failed: ' . (\is_string($error) ? $error : 'it died'),
        });
    }
}

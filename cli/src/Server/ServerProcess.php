<?php

declare(strict_types=1);

namespace Larder\Cli\Server;

use Larder\Cli\System\ServerFailed;
use Larder\Cli\System\TiedProcess;
use Symfony\Component\Process\Process;

/**
 * One running server program, in a session of its own.
 *
 * It ends with stop(), with this object, and with the PHP process that started it, even if that process is killed by
 * SIGKILL (see TiedProcess). In a fork of the starter, this object does nothing.
 */
final class ServerProcess
{
    private const POLL_MICROSECONDS = 5_000;
    private const LOG_LINES = 8;

    private function __construct(
        private readonly Process $process,
        private readonly int $starter,
    ) {}

    /**
     * Starts the program, and returns when it answers.
     *
     * @param list<string> $command
     * @param string $log file that receives all output of the program
     * @param \Closure(): bool $answers called repeatedly until it returns true
     * @param float $seconds how long the program may take to answer, on a busy machine too
     * @param 'KILL'|'TERM' $deathSignal signal that the server gets when its starter dies: TERM if it has children to
     *         end
     * @param array<string, string> $environment
     * @throws ServerFailed with the end of the log
     */
    public static function start(
        array $command,
        string $log,
        \Closure $answers,
        float $seconds = 120.0,
        string $deathSignal = 'KILL',
        array $environment = [],
    ): self {
        $server = self::launch($command, $log, $deathSignal, $environment);
        $deadline = microtime(true) + $seconds;
        while (!$answers()) {
            if (!$server->process->isRunning()) {
                throw new ServerFailed(\sprintf(
                    '%s exited with status %d: %s',
                    $command[0],
                    (int) $server->process->getExitCode(),
                    self::end($log),
                ));
            }
            if (microtime(true) > $deadline) {
                $server->stop();

                throw new ServerFailed(
                    \sprintf('%s did not answer within %g s: %s', $command[0], $seconds, self::end($log)),
                );
            }
            usleep(self::POLL_MICROSECONDS);
        }

        return $server;
    }

    /**
     * Runs a program that prepares a server, and waits until it ends. Its children are ended too, also if it is
     * interrupted.
     *
     * @param list<string> $command
     * @param string $log file that receives all output of the program
     * @throws ServerFailed with the end of the log
     */
    public static function run(array $command, string $log, float $seconds = 120.0): void
    {
        $program = self::launch($command, $log, 'TERM', []);
        $deadline = microtime(true) + $seconds;
        while ($program->process->isRunning() && microtime(true) < $deadline) {
            usleep(self::POLL_MICROSECONDS);
        }
        $program->stop();
        if ($program->process->getExitCode() !== 0) {
            throw new ServerFailed(\sprintf(
                '%s exited with status %d: %s',
                $command[0],
                (int) $program->process->getExitCode(),
                self::end($log),
            ));
        }
    }

    /**
     * @param list<string> $command
     * @param 'KILL'|'TERM' $deathSignal
     * @param array<string, string> $environment
     */
    private static function launch(array $command, string $log, string $deathSignal, array $environment): self
    {
        $process = new Process(
            [
                'sh',
                '-c',
                'log=$1; shift; exec "$@" >>"$log" 2>&1',
                'sh',
                $log,
                ...TiedProcess::toThisProcess($command, $deathSignal),
            ],
            \dirname($log),
            ['TMPDIR' => \dirname($log), ...$environment], // its temporary files are removed with the directory
            null,
            null,
        );
        $process->disableOutput();
        // its destructor ends the process if a signal handler throws from here on
        $server = new self($process, (int) getmypid());
        $process->start();

        return $server;
    }

    public function __destruct()
    {
        $this->stop();
    }

    /** @return int|null null once the server has ended */
    public function pid(): ?int
    {
        return $this->process->getPid();
    }

    public function signal(int $signal): void
    {
        $this->process->signal($signal);
    }

    /**
     * Ends the server and all its children: by SIGTERM, then by SIGKILL if it has not ended in time. Does nothing if it
     * has ended.
     */
    public function stop(float $seconds = 5.0): void
    {
        $session = $this->process->getPid();
        if ($session === null || getmypid() !== $this->starter) {
            return;
        }
        $this->process->stop($seconds);
        posix_kill(-$session, \SIGKILL);
    }

    private static function end(string $log): string
    {
        $lines = is_file($log) ? file($log, \FILE_IGNORE_NEW_LINES | \FILE_SKIP_EMPTY_LINES) : [];

        return $lines === false || $lines === []
            ? 'it printed nothing'
            : implode(' | ', \array_slice($lines, -self::LOG_LINES));
    }
}

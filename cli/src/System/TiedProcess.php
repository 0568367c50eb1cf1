<?php

declare(strict_types=1);

namespace Larder\Cli\System;

use Symfony\Component\Process\Exception\ProcessSignaledException;
use Symfony\Component\Process\Exception\ProcessTimedOutException;
use Symfony\Component\Process\Process;

/** Commands whose processes do not outlive this one. */
final class TiedProcess
{
    /**
     * Wraps a command so that its process is in a new session, where a terminal's Ctrl-C does not reach it. On Linux,
     * the kernel also sends it a signal when the process that starts it ends for any reason (prctl's PR_SET_PDEATHSIG,
     * set by util-linux's setpriv).
     *
     * @param list<string> $command
     * @param 'KILL'|'TERM' $signal TERM for a process that has children to end
     * @return list<string>
     * @throws ServerFailed if util-linux is missing
     */
    public static function toThisProcess(array $command, string $signal = 'KILL'): array
    {
        if (\PHP_OS_FAMILY !== 'Linux') {
            return $command;
        }

        return [
            Executable::find(['setsid'], 'util-linux')->path,
            Executable::find(['setpriv'], 'util-linux')->path, '--pdeathsig', $signal, '--', ...$command,
        ];
    }

    /**
     * Runs a command of toThisProcess() and waits until it ends. Its children are ended too, also if it hangs, or ends
     * and leaves them. If a signal handler throws, the caller must call end(), which asks first.
     *
     * @param (callable(string, string): void)|null $output
     * @param (callable(): mixed)|null $meanwhile called a few times a second
     * @throws ProcessTimedOutException
     */
    public static function run(Process $process, ?callable $output = null, ?callable $meanwhile = null): void
    {
        $process->start($output);
        $session = $process->getPid();

        try {
            while ($meanwhile !== null && $process->isRunning()) {
                $meanwhile();
                usleep(200_000);
            }
            $process->wait();
        } catch (ProcessSignaledException) {
            // The exit code reports the signal.
        } catch (ProcessTimedOutException $late) {
            self::kill($session);

            throw $late;
        }
        self::kill($session);
    }

    /**
     * Ends a command of toThisProcess() with all its children: by SIGTERM, then by SIGKILL if it has not ended in time.
     * A surviving child could create files in a directory that is just being removed.
     */
    public static function end(Process $process, float $seconds): void
    {
        $session = $process->getPid();
        $process->stop($seconds);
        self::kill($session);
    }

    private static function kill(?int $session): void
    {
        if ($session !== null && \PHP_OS_FAMILY === 'Linux') {
            posix_kill(-$session, \SIGKILL);
        }
    }
}

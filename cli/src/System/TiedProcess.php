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
     * The command, so wrapped that its process is in a session of its own (a terminal's Ctrl-C does not reach it) and,
     * on Linux, gets a signal from the kernel when the process that starts it ends, whatever ended it: prctl's
     * PR_SET_PDEATHSIG, set by util-linux's setpriv.
     *
     * @param list<string> $command
     * @param 'KILL'|'TERM' $signal TERM for what has children of its own to end
     * @return list<string>
     * @throws ServerFailed when util-linux is missing
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
     * Runs a command of toThisProcess() to its end. Its children end with it, also when it hangs, or dies and leaves
     * them behind. When a handler of signals throws meanwhile, end() is still to be called: it asks first.
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
            // Its exit code tells the signal.
        } catch (ProcessTimedOutException $late) {
            self::kill($session);

            throw $late;
        }
        self::kill($session);
    }

    /**
     * Ends a command of toThisProcess() with all its children: asked first, killed when it has not ended in time. A
     * child that lives on would make files again in a directory that is just being removed.
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

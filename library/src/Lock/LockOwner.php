<?php

declare(strict_types=1);

namespace Larder\Lock;

use Larder\Process\Pid;
use Larder\Process\Quietly;

/**
 * The process that holds a lock, named in the lock's token so that others on the same machine see whether it still lives:
 *
 *     process id . start time . where these numbers mean something . random
 *
 * A process id alone is given again to another process; with the start time it is not. Both mean nothing after a reboot
 * and in another container, so the token has a hash of boot, pid namespace and time namespace too.
 *
 * All three stay the same while a process lives, so each looks its own up once: that saves thirty calls of the system, more than
 * half of the time that a lock in memory took.
 */
final class LockOwner
{
    private const FORM = '/^(\d+)\.(\d+)\.([0-9a-f]{16})\.[0-9a-f]{16}$/D';
    /** Places in /proc/<pid>/stat after the name of the program. */
    private const STATE = 0;
    private const START_TIME = 19;

    /** This process, or the one that it was forked from. */
    private static ?self $own = null;

    private function __construct(
        private readonly int $process,
        private readonly string $startTime,
        private readonly string $space,
        private readonly int $number,
    ) {}

    /** @return string a new token; of this process, or of nobody where processes are not to be seen */
    public static function token(): string
    {
        $own = self::own();

        return $own === null ? self::anonymousToken() : \sprintf('%d.%s.%s.%s', $own->process, $own->startTime, $own->space, bin2hex(random_bytes(8)));
    }

    /** @return string a new token that names nobody */
    public static function anonymousToken(): string
    {
        return bin2hex(random_bytes(16));
    }

    /** @return int that tells this process from others, of other machines and containers too; 0 where threads share one */
    public static function number(): int
    {
        return \PHP_ZTS === 1 ? 0 : self::own()->number ?? self::lookUpNumber();
    }

    /** @return bool|null null when that is not to be seen from here */
    public static function lives(string $token): ?bool
    {
        $own = self::own();
        if ($own === null || preg_match(self::FORM, $token, $parts) !== 1 || $parts[3] !== $own->space) {
            return null;
        }
        if ((int) $parts[1] === $own->process && $parts[2] === $own->startTime) {
            return true;
        }
        $stat = self::stat((int) $parts[1]);
        if ($stat === null) {
            // Mounts of /proc may hide the processes of other users, and then the first one too.
            return is_dir('/proc/1') ? false : null;
        }

        // One that has been killed, and that its parent has not asked about yet, does nothing any more.
        return $stat[self::START_TIME] === $parts[2] && !\in_array($stat[self::STATE], ['Z', 'X'], true);
    }

    /** @return self|null null without a /proc, or with that of others */
    private static function own(): ?self
    {
        $process = Pid::own();
        if (self::$own?->process === $process) {
            return self::$own;
        }
        $space = self::lookUpSpace();
        $startTime = self::stat($process)[self::START_TIME] ?? null;

        // Not kept where it cannot be seen, as that may be for a moment only: no more files can be opened.
        return $space === null || $startTime === null ? null : self::$own = new self($process, $startTime, $space, self::lookUpNumber());
    }

    private static function lookUpSpace(): ?string
    {
        return Quietly::run(static function (): ?string {
            if (readlink('/proc/self') !== (string) Pid::own()) {
                return null;
            }
            $boot = file_get_contents('/proc/sys/kernel/random/boot_id');
            $processes = readlink('/proc/self/ns/pid');

            return $boot === false || $processes === false ? null : hash('xxh64', $boot . $processes . readlink('/proc/self/ns/time'));
        });
    }

    private static function lookUpNumber(): int
    {
        $number = unpack('q', hash('xxh3', \sprintf('%d@%s %s', Pid::own(), gethostname(), @readlink('/proc/self/ns/pid')), true));

        return \is_array($number) && \is_int($number[1]) ? $number[1] : 0;
    }

    /** @return list<string>|null */
    private static function stat(int $process): ?array
    {
        $stat = Quietly::run(static fn(): string|false => file_get_contents(\sprintf('/proc/%d/stat', $process)));
        $end = $stat === false ? false : strrpos($stat, ') ');
        if ($stat === false || $end === false) {
            return null;
        }
        $fields = explode(' ', substr($stat, $end + 2));

        return isset($fields[self::START_TIME]) ? $fields : null;
    }
}

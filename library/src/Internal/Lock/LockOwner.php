<?php

declare(strict_types=1);

namespace Larder\Internal\Lock;

use Larder\Internal\Process\Warnings;
use Larder\Process\Pid;

/**
 * The process that holds a lock, named in the lock's token so that others on the machine see whether it lives:
 *
 *     process id . start time . hash of boot, pid namespace and time namespace . random
 *
 * A process id alone is reused; with the start time it is not. Both mean nothing after a reboot or in another
 * container, hence the hash. All three last as long as the process, so it looks them up once: thirty system calls, more
 * than half of the time of a lock in memory.
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
        private readonly int $startTime,
        private readonly int $space,
    ) {}

    /** @return string a new token; it names no process if processes cannot be seen here */
    public static function token(): string
    {
        $own = self::own();

        $random = bin2hex(random_bytes(8));

        return $own === null ? self::anonymousToken()
            : \sprintf('%d.%d.%016x.%s', $own->process, $own->startTime, $own->space, $random);
    }

    /** @return string a new token that names no process */
    public static function anonymousToken(): string
    {
        return bin2hex(random_bytes(16));
    }

    /** @return bool|null null if that cannot be seen from here */
    public static function lives(string $token): ?bool
    {
        if (preg_match(self::FORM, $token, $parts) !== 1) {
            return null;
        }

        return self::isAlive((int) $parts[1], (int) $parts[2], self::number64(pack('H*', $parts[3])));
    }

    /** @return array{int, int, int}|null this process as isAlive() takes it; null if processes cannot be seen here */
    public static function identity(): ?array
    {
        $own = self::own();

        return $own === null ? null : [$own->process, $own->startTime, $own->space];
    }

    /** @return bool|null null if that cannot be seen from here */
    public static function isAlive(int $process, int $startTime, int $space): ?bool
    {
        $own = self::own();
        if ($own === null || $space !== $own->space) {
            return null;
        }
        if ($process === $own->process && $startTime === $own->startTime) {
            return true;
        }
        $stat = self::stat($process);
        if ($stat === null) {
            // Mounts of /proc may hide the processes of other users, and then the first one too.
            return is_dir('/proc/1') ? false : null;
        }

        // A zombie does nothing any more.
        return (int) $stat[self::START_TIME] === $startTime && !\in_array($stat[self::STATE], ['Z', 'X'], true);
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

        // A failure is not kept, as it may pass: a process without free file descriptors.
        if ($space === null || $startTime === null) {
            return null;
        }

        return self::$own = new self($process, (int) $startTime, $space);
    }

    private static function lookUpSpace(): ?int
    {
        $look = static function (): ?int {
            if (readlink('/proc/self') !== (string) Pid::own()) {
                return null;
            }
            $boot = file_get_contents('/proc/sys/kernel/random/boot_id');
            $processes = readlink('/proc/self/ns/pid');

            if ($boot === false || $processes === false) {
                return null;
            }

            return self::number64(hash('xxh64', $boot . $processes . readlink('/proc/self/ns/time'), true));
        };

        try {
            return Warnings::suppress($look);
        } catch (\Error) {
            return null; // the host disables readlink()
        }
    }

    /** @param string $bytes eight */
    private static function number64(string $bytes): int
    {
        /** @var array{1: int} $numbers */
        $numbers = unpack('J', $bytes);

        return $numbers[1];
    }

    /** @return list<string>|null */
    private static function stat(int $process): ?array
    {
        $stat = Warnings::suppress(static fn(): string|false => file_get_contents(\sprintf('/proc/%d/stat', $process)));
        $end = $stat === false ? false : strrpos($stat, ') ');
        if ($stat === false || $end === false) {
            return null;
        }
        $fields = explode(' ', substr($stat, $end + 2));

        return isset($fields[self::START_TIME]) ? $fields : null;
    }
}

<?php

declare(strict_types=1);

namespace Larder\Driver;

use Larder\Internal\Process\User;

/** The place of a store's values, and so the processes that share them: from the fewest to the most. */
enum Scope
{
    /** In the process, and lost when it ends. */
    case Process;

    /** In memory that the workers of one FPM master share; on the command line each process has its own. */
    case FpmWorkers;

    /** On this machine: memory or files that all processes of one user share. */
    case Machine;

    /** On a server, shared by all its clients. */
    case Server;

    /** True if more processes share a store of this scope than one of the other. */
    public function isWiderThan(self $other): bool
    {
        return array_search($this, self::cases(), true) > array_search($other, self::cases(), true);
    }

    /** True if other processes find the values of this one. */
    public function isShared(): bool
    {
        return match ($this) {
            self::Process => false,
            self::FpmWorkers => \PHP_SAPI !== 'cli',
            self::Machine, self::Server => true,
        };
    }

    /**
     * The owner of the cache. All others have another cache, which a clear() here does not affect.
     *
     * @return string such as "user www-data, PHP 8.2"; empty if all processes reach the same cache
     */
    public function owner(): string
    {
        return match ($this) {
            self::Process, self::Server => '',
            self::FpmWorkers => \sprintf(
                'user %s, PHP %d.%d, %s',
                User::name(),
                \PHP_MAJOR_VERSION,
                \PHP_MINOR_VERSION,
                \in_array(\PHP_SAPI, ['cli', 'phpdbg', 'embed'], true)
                    ? 'this process alone'
                    : 'the workers of this FPM master',
            ),
            self::Machine => 'user ' . User::name(),
        };
    }
}

<?php

declare(strict_types=1);

namespace Larder\Driver;

use Larder\Process\User;

/** Where a store keeps its values, and so which processes share them. */
enum Scope
{
    /** In the process: gone with it. */
    case Process;

    /** In memory that the workers of one FPM master share; on the command line each process has its own. */
    case FpmWorkers;

    /** On this machine: memory or files that all processes of one user share. */
    case Machine;

    /** In a server: shared by all who reach it. */
    case Server;

    /** Whether what one process stores here now, others find. */
    public function isShared(): bool
    {
        return match ($this) {
            self::Process => false,
            self::FpmWorkers => \PHP_SAPI !== 'cli',
            self::Machine, self::Server => true,
        };
    }

    /**
     * Whose cache it is: clearing it clears that one alone.
     *
     * @return string such as "user www-data, PHP 8.2"; empty where all processes reach the same one
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
                \in_array(\PHP_SAPI, ['cli', 'phpdbg', 'embed'], true) ? 'this process alone' : 'the workers of this FPM master',
            ),
            self::Machine => 'user ' . User::name(),
        };
    }
}

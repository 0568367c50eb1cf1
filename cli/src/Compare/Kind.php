<?php

declare(strict_types=1);

namespace Larder\Cli\Compare;

use Larder\Driver\Scope;
use Larder\Drivers;

/** Where a store keeps its values, as far as the verdict makes a difference. */
enum Kind
{
    /** On this machine, for later processes too. */
    case Local;

    /** In a server, which other machines can reach as well. */
    case Server;

    /** In the process alone: gone with it, so no rival of the others. */
    case Process;

    /** @param string $store by its name in the registry */
    public static function of(string $store): self
    {
        return match ((Drivers::variants()[$store] ?? null)?->scope) {
            Scope::Server => self::Server,
            Scope::Process => self::Process,
            default => self::Local,
        };
    }
}

<?php

declare(strict_types=1);

namespace Larder\Cli\Report;

use Larder\Driver\Scope;
use Larder\Drivers;

/** Where a store keeps its values, as far as the verdict makes a difference. */
enum Kind
{
    /** On this machine, for later processes too. */
    case Local;

    /** In a server, which other machines can reach as well. */
    case Server;

    /** In the process alone, gone with it, or in no store at all: so no rival of the others. */
    case Process;

    /** Pages that show what no page can be faster than. */
    private const NO_STORES = ['empty', 'literal'];

    /** @param string $store by its name in the registry */
    public static function of(string $store): self
    {
        if (\in_array($store, self::NO_STORES, true)) {
            return self::Process;
        }

        /** @var array<string, self> $known of a report, each store is asked for with each of its rows */
        static $known = [];

        return $known[$store] ??= match ((Drivers::variants()[$store] ?? null)?->scope) {
            Scope::Server => self::Server,
            Scope::Process => self::Process,
            default => self::Local,
        };
    }
}

<?php

declare(strict_types=1);

namespace Larder\Cli\Report;

use Larder\Driver\Scope;
use Larder\Drivers;

/** The place where a store keeps its values, as far as the verdict depends on it. */
enum Kind
{
    /** On this machine, readable by later processes. */
    case Local;

    /** In a server that other machines can reach too. */
    case Server;

    /** In one process and gone with it, or in no store at all: not comparable with the others. */
    case Process;

    /** Pages that show the fastest possible response. */
    private const NO_STORES = ['empty', 'literal'];

    /** @param string $store by its name in the registry */
    public static function of(string $store): self
    {
        if (\in_array($store, self::NO_STORES, true)) {
            return self::Process;
        }

        /** @var array<string, self> $known caches the answers: a report asks once a row */
        static $known = [];

        return $known[$store] ??= match ((Drivers::variants()[$store] ?? null)?->scope) {
            Scope::Server => self::Server,
            Scope::Process => self::Process,
            default => self::Local,
        };
    }
}

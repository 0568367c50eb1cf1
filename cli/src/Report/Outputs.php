<?php

declare(strict_types=1);

namespace Larder\Cli\Report;

/** Every way to write a report, by the option of `larder compare` that asks for it. A new one is a line here. */
final class Outputs
{
    /** @return array<string, array{help: string, output: Output}> by option */
    public static function all(): array
    {
        return [];
    }
}

<?php

declare(strict_types=1);

namespace Larder\Tool\Figures;

/** All figures of the engine, in the order in which they are shown. */
final class Rows
{
    /** @return non-empty-array<string, Row> by name */
    public static function all(): array
    {
        $rows = [...FetchRows::all(), ...Requests::all(), ...StoreRows::all(), ...Readers::all(), Memory::row()];

        return array_combine(array_column($rows, 'name'), $rows);
    }
}

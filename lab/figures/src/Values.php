<?php

declare(strict_types=1);

namespace Larder\Lab\Figures;

/** The values for the engine's figures. */
final class Values
{
    /** @return array<int, array<string, string>> 50 rows of 50 columns, as in the study of 2016, built row by row */
    public static function table(): array
    {
        $rows = [];
        for ($row = 0; $row < 50; $row++) {
            for ($column = 0; $column < 50; $column++) {
                $rows[$row]['column' . $column] = \sprintf('value %d %d', $row, $column);
            }
        }

        return $rows;
    }

    /** @return array<mixed> the same table as json_decode() creates it: every key and value is a separate string */
    public static function decodedTable(): array
    {
        $table = json_decode(json_encode(self::table(), \JSON_THROW_ON_ERROR), true, 512, \JSON_THROW_ON_ERROR);
        \assert(\is_array($table));

        return $table;
    }

    /** A string that no compiler has hashed or interned. */
    public static function text(int $bytes): string
    {
        return substr(str_repeat(uniqid('larder', true), intdiv($bytes, 20) + 1), 0, $bytes);
    }
}

<?php

declare(strict_types=1);

namespace Larder\Lab\Figures;

/** All figures, in the order in which they are shown. */
final class Rows
{
    public const SUBJECTS = ['engine', 'library', 'request', 'pages', 'memory'];

    /**
     * @param value-of<self::SUBJECTS> $subject
     * @return non-empty-array<string, Row> by name
     */
    public static function of(string $subject): array
    {
        /** @var non-empty-list<Row> $rows */
        $rows = match ($subject) {
            'engine' => [...FetchRows::all(), ...Requests::all(), ...StoreRows::all(), ...ObjectRows::all(), ...Readers::all(), ...WorkerRows::all(), Memory::row()],
            'library' => [...LibraryRows::all(), ...ClientRows::all()],
            'request' => RequestRows::all(),
            'pages' => PageRows::all(),
            'memory' => MemoryRows::all(),
        };

        return array_combine(array_column($rows, 'name'), $rows);
    }

    /** @return non-empty-array<string, Row> by name */
    public static function all(): array
    {
        return array_merge(...array_map(self::of(...), self::SUBJECTS));
    }
}

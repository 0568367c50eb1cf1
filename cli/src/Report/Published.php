<?php

declare(strict_types=1);

namespace Larder\Cli\Report;

/**
 * The figures that the studies of 2008, 2013 and 2016 and a hosting company published: cli/data/published.json, one row
 * a figure. Its "notes" list what the studies left open, and where their texts contradict themselves.
 *
 * @phpstan-type PublishedRow array{
 *     study: string, table: string, engine: string, connection: ?string, serializer: ?string, compression: ?string,
 *     environment: ?string, value: ?string, bytes: ?int, operation: string, figure: int|float, stddev: int|float|null,
 *     unit: string, operations: int, remark?: string,
 * }
 */
final class Published
{
    private const NANOSECONDS = ['s' => 1e9, 'ms' => 1e6, 'us' => 1e3];

    /** @param list<PublishedRow> $rows */
    private function __construct(private readonly array $rows) {}

    public static function load(): self
    {
        /** @var array{rows: list<PublishedRow>} $data */
        $data = json_decode(
            (string) file_get_contents(\dirname(__DIR__, 2) . '/data/published.json'),
            true,
            flags: \JSON_THROW_ON_ERROR,
        );

        return new self($data['rows']);
    }

    /** @return list<PublishedRow> */
    public function rows(): array
    {
        return $this->rows;
    }

    /**
     * The first published figure that has these values.
     *
     * @param array<string, string|null> $with value of each column: ['study' => '2013', 'engine' => 'apc', …]
     * @return float|null nanoseconds of one operation; null if no study published it
     */
    public function nanoseconds(array $with): ?float
    {
        foreach ($this->rows as $row) {
            $agrees = array_filter(
                $with,
                static fn(?string $value, string $column): bool => ($row[$column] ?? null) === $value,
                \ARRAY_FILTER_USE_BOTH,
            );
            if (\count($agrees) === \count($with) && isset(self::NANOSECONDS[$row['unit']])) {
                return $row['figure'] * self::NANOSECONDS[$row['unit']] / $row['operations'];
            }
        }

        return null;
    }
}

<?php

declare(strict_types=1);

namespace Larder\Cli\Report;

/** A line for each row, for spreadsheets and statistics programs: RFC 4180, UTF-8, numbers with a point. */
final class Csv implements Output
{
    private const COLUMNS = [
        'table', 'store', 'connection', 'settings', 'value', 'bytes', 'operation', 'unit', 'median', 'low', 'high',
        'samples', 'failures',
        'problem', 'p50', 'p90', 'p99', 'p99_9', 'maximum', 'published', 'study', 'published_engine', 'notes',
    ];
    private const PERCENTILES = [50.0, 90.0, 99.0, 99.9];

    public function write(Report $report, string $file): void
    {
        $stream = fopen('php://memory', 'w+');
        if ($stream === false) {
            throw new \RuntimeException('There is no memory for the CSV file.');
        }
        fputcsv($stream, self::COLUMNS, escape: '', eol: "\r\n");
        foreach ($report->rows as $row) {
            fputcsv($stream, self::line($row), escape: '', eol: "\r\n");
        }
        rewind($stream);
        TextFile::write($file, (string) stream_get_contents($stream));
    }

    /** @return list<string|int|float|null> */
    private static function line(Row $row): array
    {
        $subject = $row->subject;
        $histogram = $row->histogram;

        return [
            $subject->table,
            $subject->store,
            $subject->connection,
            implode(
                ', ',
                array_map(
                    static fn(string $value, string $name): string => "$name=$value",
                    $subject->settings,
                    array_keys($subject->settings),
                ),
            ),
            $subject->value,
            $subject->bytes,
            $subject->operation,
            $subject->unit->value,
            $row->median,
            $row->low,
            $row->high,
            \count($row->samples),
            $row->failures,
            $row->problem,
            ...array_map(static fn(float $percent): ?int => $histogram?->percentile($percent), self::PERCENTILES),
            $histogram?->maximum(),
            $row->published?->figure,
            $row->published?->study,
            $row->published?->engine,
            implode(' ', $row->notes),
        ];
    }
}

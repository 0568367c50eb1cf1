<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Report;

use Larder\Cli\Measure\Subject;
use Larder\Cli\Measure\Unit;
use Larder\Cli\Report\Report;
use Larder\Cli\Report\Row;
use Larder\Cli\Timing\Interval;
use Larder\Cli\Timing\Statistics;

/** Rows with figures chosen by a test, and rows of a recorded result with other figures. */
final class Rows
{
    public const ENVIRONMENT = [
        'date' => '2026-11-23T02:06:41+00:00', 'php' => '8.2.36', 'system' => 'Linux', 'processor' => 'AMD EPYC',
        'cores' => 2, 'servers' => ['redis' => '7.0.15'],
    ];

    /**
     * @param list<float> $samples
     * @param array<string, string> $settings
     */
    public static function of(
        string $store,
        array $samples,
        string $value = '1k',
        string $operation = 'get',
        ?string $connection = null,
        array $settings = [],
        string $table = 'compare',
        Unit $unit = Unit::Nanoseconds,
        int $bytes = 1000,
    ): Row {
        return self::with(
            new Subject($table, $store, $connection, $value, $bytes, $operation, $unit, $settings),
            $samples,
        );
    }

    /** @param list<float> $samples */
    public static function with(Subject $subject, array $samples): Row
    {
        $interval = Interval::ofMedian($samples);

        return new Row(
            $subject,
            $samples,
            $samples === [] ? null : Statistics::median($samples),
            $interval?->low,
            $interval?->high,
        );
    }

    /** @return list<float> ten samples around a figure, 1 % apart */
    public static function around(float $figure): array
    {
        return array_map(static fn(int $i): float => $figure * (1 + ($i - 4.5) / 450), [3, 8, 0, 5, 9, 1, 6, 2, 7, 4]);
    }

    /** @param array<string, string> $names new names of stores: their rows replace those of the store with that name */
    public static function renamed(Report $report, array $names): Report
    {
        $rows = [];
        foreach ($report->rows as $row) {
            $fields = $row->toArray();
            $fields['store'] = $names[$fields['store']] ?? $fields['store'];
            $rows[] = Row::fromArray($fields);
        }

        return new Report($report->environment, $rows, $report->notMeasured, $report->spoilers);
    }

    /**
     * @param \Closure(Subject): float $factor by which all samples of a row are multiplied
     */
    public static function scaled(Report $report, \Closure $factor): Report
    {
        $rows = array_map(
            static fn(Row $row): Row => self::with(
                $row->subject,
                array_map(static fn(float $sample): float => $sample * $factor($row->subject), $row->samples),
            ),
            $report->rows,
        );

        return new Report($report->environment, $rows, $report->notMeasured, $report->spoilers);
    }
}

<?php

declare(strict_types=1);

namespace Larder\Cli\Report;

use Larder\Cli\Measure\Subject;
use Larder\Cli\Measure\Unit;
use Larder\Cli\Timing\Interval;
use Larder\Cli\Timing\Statistics;

/**
 * Checks a result of another person. Reports problems that make it unusable for comparisons, and facts that may have
 * spoiled it.
 */
final class Check
{
    private const FEWEST_SAMPLES = 10;
    /** Facts about the machine that a result must have. */
    private const MACHINE = ['date', 'php', 'system', 'processor', 'cores'];
    /** Shorter than any call of a PHP function. */
    private const LEAST_NANOSECONDS = 1.0;
    /** Longer than any operation: an hour. */
    private const MOST_NANOSECONDS = 3.6e12;
    /** Figures may have been rounded. */
    private const TOLERANCE = 1e-6;

    /** @return list<string> a sentence for each problem; empty if there is none */
    public static function problems(string $file): array
    {
        try {
            $report = ResultFile::read($file);
        } catch (\RuntimeException $wrong) {
            return [$wrong->getMessage()];
        }

        return self::of($report);
    }

    /** @return list<string> the problems of a readable file */
    public static function of(Report $report): array
    {
        return [
            ...self::ofMachine($report->environment),
            ...self::ofRows($report->rows),
            ...array_map(static fn(string $spoiler): string => 'the run was spoiled: ' . $spoiler, $report->spoilers),
        ];
    }

    /**
     * @param array<string, mixed> $environment
     * @return list<string>
     */
    private static function ofMachine(array $environment): array
    {
        $flat = Environment::flat($environment);
        $problems = [];
        foreach (self::MACHINE as $name) {
            if (\in_array($flat[$name] ?? '', ['', 'none'], true)) {
                $problems[] = \sprintf('the environment does not tell its %s', $name);
            }
        }
        $date = strtotime($flat['date'] ?? '');
        if (isset($flat['date']) && ($date === false || $date > time() + 86_400)) {
            $problems[] = \sprintf('the date %s is not one in the past', $flat['date']);
        }

        return $problems;
    }

    /**
     * @param list<Row> $rows
     * @return list<string>
     */
    private static function ofRows(array $rows): array
    {
        $problems = $rows === [] ? ['there are no rows'] : [];
        $seen = [];
        foreach ($rows as $i => $row) {
            $key = $row->subject->key();
            $wrong = [
                ...(isset($seen[$key]) ? [\sprintf('is there already, in line %d', $seen[$key])] : []),
                ...self::ofRow($row),
            ];
            $seen[$key] ??= $i + 2;
            foreach ($wrong as $what) {
                $subject = $row->subject;
                $problems[] = \sprintf(
                    'line %d (%s, %s): %s',
                    $i + 2,
                    $subject->table,
                    trim(Setup::of($subject)->name() . ' ' . $subject->operation . ' ' . $subject->value),
                    $what,
                );
            }
        }

        return $problems;
    }

    /** @return list<string> */
    private static function ofRow(Row $row): array
    {
        if ($row->median === null) {
            return match (true) {
                $row->isHistoric() => [],
                $row->samples !== [] => ['has samples, but no median'],
                $row->failures === 0 || $row->problem === '' => ['has no figure, and does not say why'],
                default => [],
            };
        }
        $problems = $row->failures > 0
            ? [\sprintf('has a figure in spite of %d failures: %s', $row->failures, $row->problem)]
            : [];
        $figures = [$row->median, $row->low, $row->high, ...$row->samples];
        foreach (array_unique(array_filter(
            $figures,
            static fn(?float $figure): bool => $figure !== null && !self::isPossible($row->subject, $figure),
        )) as $figure) {
            $problems[] = \sprintf('has the impossible figure %s %s', $figure, $row->subject->unit->value);
        }
        if ($row->subject->bytes < 0) {
            $problems[] = \sprintf('has a value of %d bytes', $row->subject->bytes);
        }
        if (\count($row->samples) < self::FEWEST_SAMPLES) {
            $problems[] = \sprintf('has %d samples, fewer than %d', \count($row->samples), self::FEWEST_SAMPLES);
        }
        if ($row->samples === [] || !self::isSame(Statistics::median($row->samples), $row->median)) {
            $problems[] = \sprintf('has the median %s, which is not that of its samples', $row->median);
        }
        $interval = Interval::ofMedian($row->samples);
        if ($interval !== null && (
            $row->low === null || $row->high === null || !self::isSame($interval->low, $row->low)
            || !self::isSame($interval->high, $row->high)
        )) {
            $problems[] = 'has an interval that is not that of its samples';
        }
        $histogram = $row->histogram;
        if ($histogram !== null && ($histogram->count() < 0 || $histogram->maximum() < 0)) {
            $problems[] = 'has an impossible histogram';
        }

        return $problems;
    }

    private static function isPossible(Subject $subject, float $figure): bool
    {
        return is_finite($figure) && match ($subject->unit) {
            Unit::Nanoseconds => $figure >= self::LEAST_NANOSECONDS && $figure <= self::MOST_NANOSECONDS,
            // A page can be faster than the page that it is compared with.
            Unit::Percent => $figure >= 0.0 && ($figure <= 100.0 || str_starts_with($subject->operation, 'share of ')),
            Unit::RequestsPerSecond, Unit::OperationsPerSecond
                => $figure > 0.0 && $figure <= 1e9 / self::LEAST_NANOSECONDS,
            Unit::Bytes, Unit::Count => $figure >= 0.0,
        };
    }

    private static function isSame(float $a, float $b): bool
    {
        return abs($a - $b) <= self::TOLERANCE * max(abs($a), abs($b), 1.0);
    }
}

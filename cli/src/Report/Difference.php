<?php

declare(strict_types=1);

namespace Larder\Cli\Report;

use Larder\Cli\Measure\Subject;
use Larder\Cli\Timing\Interval;
use Larder\Cli\Timing\Statistics;

/**
 * The difference between two results: rows that changed, and rows whose difference is noise. Among many unchanged rows,
 * some differ at random. So a row only counts as changed after a correction for their number: of the rows listed as
 * changed, at most 5 % are expected to be noise.
 */
final class Difference
{
    /**
     * @param list<array{
     *     subject: Subject, before: float, after: float, ratio: float|null, interval: Interval|null,
     * }> $changed the largest change first; no ratio where a sample is 0
     * @param list<array{
     *     subject: Subject, before: float, after: float, ratio: float|null, interval: Interval|null,
     * }> $noise
     * @param list<string> $onlyBefore rows without a figure in the second result
     * @param list<string> $onlyAfter rows without a figure in the first
     * @param array<string, array{string, string}> $environment differences, by name
     * @param list<string> $repeated rows that occur several times in one of the results. It is unknown which one is
     *         meant, so they are compared nowhere
     */
    private function __construct(
        public readonly array $changed,
        public readonly array $noise,
        public readonly array $onlyBefore,
        public readonly array $onlyAfter,
        public readonly array $environment,
        public readonly array $repeated,
    ) {}

    public static function between(Report $before, Report $after): self
    {
        $repeated = self::repeated($before) + self::repeated($after);
        [$a, $b] = [
            array_diff_key(self::measured($before), $repeated),
            array_diff_key(self::measured($after), $repeated),
        ];
        $both = array_intersect_key($a, $b);
        $chances = [];
        foreach (array_keys($both) as $key) {
            $chances[$key] = RankSum::chance($a[$key][1], $b[$key][1]);
        }
        $limit = ManyTests::benjaminiHochberg(array_values($chances));
        $changed = $noise = [];
        foreach ($both as $key => [$subject, $samples]) {
            $others = $b[$key][1];
            [$was, $is] = [Statistics::median($samples), Statistics::median($others)];
            $hasRatio = min($samples) > 0.0 && min($others) > 0.0;
            [$ratio, $interval] = $hasRatio ? RankSum::ratio($others, $samples) : [null, null];
            $line = [
                'subject' => $subject, 'before' => $was, 'after' => $is, 'ratio' => $ratio, 'interval' => $interval,
            ];
            if ($chances[$key] <= $limit && ($hasRatio ? $interval?->contains(1.0) === false : $was !== $is)) {
                $changed[] = $line;
            } else {
                $noise[] = $line;
            }
        }
        $size = static fn(?float $ratio): float => $ratio === null ? \INF : abs(log($ratio));
        usort($changed, static fn(array $x, array $y): int => $size($y['ratio']) <=> $size($x['ratio']));

        return new self(
            $changed,
            $noise,
            self::names(array_diff_key($a, $b)),
            self::names(array_diff_key($b, $a)),
            self::environments($before, $after),
            array_values($repeated),
        );
    }

    /**
     * @return array<string, array{Subject, non-empty-list<float>}> by subject; computed from the samples, because the
     *         median in another person's file may be wrong
     */
    private static function measured(Report $report): array
    {
        $rows = [];
        foreach ($report->rows as $row) {
            if ($row->samples !== [] && $row->median !== null) {
                $rows[$row->subject->key()] = [$row->subject, $row->samples];
            }
        }

        return $rows;
    }

    /** @return array<string, string> names by subject */
    private static function repeated(Report $report): array
    {
        $seen = $repeated = [];
        foreach ($report->rows as $row) {
            $key = $row->subject->key();
            if (isset($seen[$key])) {
                $repeated[$key] = self::name($row->subject);
            }
            $seen[$key] = true;
        }

        return $repeated;
    }

    /**
     * @param array<string, array{Subject, non-empty-list<float>}> $rows
     * @return list<string>
     */
    private static function names(array $rows): array
    {
        return array_values(array_map(static fn(array $row): string => self::name($row[0]), $rows));
    }

    public static function name(Subject $subject): string
    {
        return trim(\sprintf(
            '%s: %s, %s %s',
            Setup::context($subject),
            Setup::of($subject)->name(),
            $subject->operation,
            $subject->value,
        ));
    }

    /** @return array<string, array{string, string}> */
    private static function environments(Report $before, Report $after): array
    {
        [$a, $b] = [Environment::flat($before->environment), Environment::flat($after->environment)];
        $differences = [];
        foreach ($a + $b as $name => $value) {
            if (($a[$name] ?? null) !== ($b[$name] ?? null)) {
                $differences[$name] = [$a[$name] ?? 'not told', $b[$name] ?? 'not told'];
            }
        }

        return $differences;
    }
}

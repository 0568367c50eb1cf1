<?php

declare(strict_types=1);

namespace Larder\Cli\Report;

use Larder\Cli\Timing\Interval;
use Larder\Cli\Timing\Statistics;

/**
 * What differs between two results: rows that changed, and rows whose difference is noise. Of many rows that did not change,
 * some differ at random; so a row counts as changed only if it still does after Benjamini and Hochberg's correction: of the
 * rows listed as changed, 5 % at most are expected to be noise.
 *
 * @see https://doi.org/10.1111/j.2517-6161.1995.tb02031.x
 */
final class Difference
{
    private const FALSE_DISCOVERIES = 0.05;

    /**
     * @param list<array{subject: \Larder\Cli\Measure\Subject, before: float, after: float, ratio: float, interval: Interval}> $changed the largest change first
     * @param list<array{subject: \Larder\Cli\Measure\Subject, before: float, after: float, ratio: float, interval: Interval|null}> $noise
     * @param list<string> $onlyBefore rows without a figure in the second result
     * @param list<string> $onlyAfter rows without a figure in the first
     * @param array<string, array{string, string}> $environment what differs, by name
     */
    private function __construct(
        public readonly array $changed,
        public readonly array $noise,
        public readonly array $onlyBefore,
        public readonly array $onlyAfter,
        public readonly array $environment,
    ) {}

    public static function between(Report $before, Report $after): self
    {
        [$a, $b] = [self::measured($before), self::measured($after)];
        $both = array_intersect_key($a, $b);
        $chances = [];
        foreach (array_keys($both) as $key) {
            $chances[$key] = RankSum::chance($a[$key]->samples, $b[$key]->samples);
        }
        $limit = self::limit(array_values($chances));
        $resampling = new Resampling();
        $changed = $noise = [];
        foreach ($both as $key => $row) {
            $other = $b[$key];
            $interval = $resampling->ratio($other->samples, $row->samples);
            [$was, $is] = [self::median($row), self::median($other)];
            $line = ['subject' => $row->subject, 'before' => $was, 'after' => $is, 'ratio' => $is / $was];
            if ($interval !== null && !$interval->contains(1.0) && $chances[$key] <= $limit) {
                $changed[] = [...$line, 'interval' => $interval];
            } else {
                $noise[] = [...$line, 'interval' => $interval];
            }
        }
        usort($changed, static fn(array $x, array $y): int => abs(log($y['ratio'])) <=> abs(log($x['ratio'])));

        return new self($changed, $noise, self::names(array_diff_key($a, $b)), self::names(array_diff_key($b, $a)), self::environments($before, $after));
    }

    /** @return array<string, Row> by subject: those that can be divided */
    private static function measured(Report $report): array
    {
        $rows = [];
        foreach ($report->rows as $row) {
            if ($row->samples !== [] && $row->median !== null && min($row->samples) > 0.0) {
                $rows[$row->subject->key()] = $row;
            }
        }

        return $rows;
    }

    /** Of the samples, as the interval is: a file of somebody else may tell another one. */
    private static function median(Row $row): float
    {
        return $row->samples === [] ? 0.0 : Statistics::median($row->samples);
    }

    /**
     * @param list<float> $chances
     * @return float at which a difference counts; negative when none does
     */
    private static function limit(array $chances): float
    {
        sort($chances);
        $limit = -1.0;
        foreach ($chances as $i => $chance) {
            if ($chance <= self::FALSE_DISCOVERIES * ($i + 1) / \count($chances)) {
                $limit = $chance;
            }
        }

        return $limit;
    }

    /**
     * @param array<string, Row> $rows
     * @return list<string>
     */
    private static function names(array $rows): array
    {
        return array_values(array_map(self::name(...), array_map(static fn(Row $row): \Larder\Cli\Measure\Subject => $row->subject, $rows)));
    }

    public static function name(\Larder\Cli\Measure\Subject $subject): string
    {
        return trim(\sprintf('%s: %s, %s %s', Setup::context($subject), Setup::of($subject)->name(), $subject->operation, $subject->value));
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

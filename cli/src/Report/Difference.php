<?php

declare(strict_types=1);

namespace Larder\Cli\Report;

use Larder\Cli\Measure\Subject;
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
     * @param list<array{subject: Subject, before: float, after: float, ratio: float|null, interval: Interval|null}> $changed the largest change first; no ratio where a sample is 0
     * @param list<array{subject: Subject, before: float, after: float, ratio: float|null, interval: Interval|null}> $noise
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
            $chances[$key] = RankSum::chance($a[$key][1], $b[$key][1]);
        }
        $limit = self::limit(array_values($chances));
        $resampling = new Resampling();
        $changed = $noise = [];
        foreach ($both as $key => [$subject, $samples]) {
            $others = $b[$key][1];
            [$was, $is] = [Statistics::median($samples), Statistics::median($others)];
            $hasRatio = min($samples) > 0.0 && min($others) > 0.0;
            $interval = $hasRatio ? $resampling->ratio($others, $samples) : null;
            $line = ['subject' => $subject, 'before' => $was, 'after' => $is, 'ratio' => $hasRatio ? $is / $was : null, 'interval' => $interval];
            if ($chances[$key] <= $limit && ($hasRatio ? $interval?->contains(1.0) === false : $was !== $is)) {
                $changed[] = $line;
            } else {
                $noise[] = $line;
            }
        }
        $size = static fn(?float $ratio): float => $ratio === null ? \INF : abs(log($ratio));
        usort($changed, static fn(array $x, array $y): int => $size($y['ratio']) <=> $size($x['ratio']));

        return new self($changed, $noise, self::names(array_diff_key($a, $b)), self::names(array_diff_key($b, $a)), self::environments($before, $after));
    }

    /** @return array<string, array{Subject, non-empty-list<float>}> by subject; the samples alone, as a file of somebody else may tell another median */
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
     * @param array<string, array{Subject, non-empty-list<float>}> $rows
     * @return list<string>
     */
    private static function names(array $rows): array
    {
        return array_values(array_map(static fn(array $row): string => self::name($row[0]), $rows));
    }

    public static function name(Subject $subject): string
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

<?php

declare(strict_types=1);

namespace Larder\Cli\Report;

use Larder\Cli\Compare\Kind;
use Larder\Cli\Measure\Unit;
use Larder\Cli\Timing\Interval;
use Larder\Cli\Timing\Statistics;

/**
 * One number for each setup of a table: the geometric mean of its ratios to the best of each task, as in ClickBench. 1 is a
 * setup that is the best of all in everything. The rules: docs/advice.md.
 *
 * @see https://github.com/ClickHouse/ClickBench
 */
final class Score
{
    /**
     * Nanoseconds added to both sides of a ratio. A program does more than that around each call, so that a store which takes
     * 40 ns does not double the speed of one that takes 80 ns.
     */
    public const SHIFT = 100.0;

    /** A task that a setup failed, or was not measured in, counts as so many times the slowest of the others. */
    public const PENALTY = 2.0;

    /** Less than any figure that can be measured. */
    private const LEAST = 0.1;

    /**
     * @param float $score 1 or more; less is better
     * @param Interval|null $interval null when there are too few samples for one
     * @param list<string> $missing tasks failed or not measured
     */
    private function __construct(
        public readonly Setup $setup,
        public readonly float $score,
        public readonly ?Interval $interval,
        public readonly array $missing,
        public readonly int $tasks,
    ) {}

    /**
     * @param list<Row> $rows of one table
     * @return array{default: list<self>, other: list<self>} the best first: with default settings, where only such count;
     *         and all others, where all count. Without the stores that only one process can use
     */
    public static function of(array $rows): array
    {
        $rows = array_values(array_filter($rows, self::counts(...)));
        $default = array_values(array_filter($rows, static fn(Row $row): bool => Setup::of($row->subject)->isDefault()));

        return [
            'default' => self::scores($default),
            'other' => array_values(array_filter(self::scores($rows), static fn(self $score): bool => !$score->setup->isDefault())),
        ];
    }

    private static function counts(Row $row): bool
    {
        return !$row->isHistoric() && Kind::of($row->subject->store) !== Kind::Process
            && \in_array($row->subject->unit, [Unit::Nanoseconds, Unit::RequestsPerSecond, Unit::OperationsPerSecond], true);
    }

    /**
     * @param list<Row> $rows
     * @return list<self>
     */
    private static function scores(array $rows): array
    {
        $resampling = new Resampling();
        $setups = $tasks = $draws = [];
        foreach ($rows as $row) {
            $setup = Setup::of($row->subject);
            $setups[$setup->name()] = $setup;
            $task = Setup::task($row->subject);
            $tasks[$task] ??= ['name' => trim($row->subject->operation . ' ' . $row->subject->value), 'unit' => $row->subject->unit, 'rows' => []];
            if ($row->median !== null) {
                $tasks[$task]['rows'][$setup->name()] = $row->median;
                $draws[$task][$setup->name()] = $resampling->medians($row->samples);
            }
        }
        $tasks = array_filter($tasks, static fn(array $task): bool => $task['rows'] !== []);
        $hasIntervals = $draws !== [] && array_filter(array_merge(...array_map(array_values(...), array_values($draws))), static fn(?array $medians): bool => $medians === null) === [];
        $ratios = array_map(static fn(array $task): array => self::ratios($task['rows'], $task['unit'], array_keys($setups)), $tasks);
        $drawn = $hasIntervals ? self::drawn($tasks, $draws, array_keys($setups)) : [];
        $scores = [];
        foreach ($setups as $name => $setup) {
            $missing = array_values(array_map(
                static fn(array $task): string => $task['name'],
                array_filter($tasks, static fn(array $task): bool => !isset($task['rows'][$name])),
            ));
            if (\count($missing) < \count($tasks)) {
                $ofSetup = array_column($ratios, $name);
                $scores[] = new self($setup, $ofSetup === [] ? 1.0 : Statistics::geometricMean($ofSetup), $drawn[$name] ?? null, $missing, \count($tasks));
            }
        }
        usort($scores, static fn(self $a, self $b): int => $a->score <=> $b->score);

        return $scores;
    }

    /**
     * @param array<string, float> $figures by setup
     * @param list<string> $setups all of the table
     * @return array<string, float> of all setups
     */
    private static function ratios(array $figures, Unit $unit, array $setups): array
    {
        $shift = $unit === Unit::Nanoseconds ? self::SHIFT : 0.0;
        $shifted = array_map(static fn(float $figure): float => max(self::LEAST, $figure) + $shift, $figures);
        $best = $unit->isMoreBetter() ? max([self::LEAST, ...array_values($shifted)]) : min([\INF, ...array_values($shifted)]);
        $ratios = array_map(static fn(float $figure): float => $unit->isMoreBetter() ? $best / $figure : $figure / $best, $shifted);
        $penalty = self::PENALTY * max([1.0, ...array_values($ratios)]);

        return $ratios + array_fill_keys($setups, $penalty);
    }

    /**
     * @param array<string, array{name: string, unit: Unit, rows: array<string, float>}> $tasks
     * @param array<string, array<string, list<float>|null>> $draws medians by task and setup
     * @param list<string> $setups
     * @return array<string, Interval>
     */
    private static function drawn(array $tasks, array $draws, array $setups): array
    {
        $logs = array_fill_keys($setups, []);
        foreach ($draws as $task => $ofTask) {
            $ofTask = array_filter($ofTask, static fn(?array $medians): bool => $medians !== null);
            for ($draw = 0; $draw < Resampling::DRAWS; ++$draw) {
                foreach (self::ratios(array_map(static fn(array $medians): float => $medians[$draw], $ofTask), $tasks[$task]['unit'], $setups) as $setup => $ratio) {
                    $logs[$setup][$draw] = ($logs[$setup][$draw] ?? 0.0) + log($ratio) / \count($tasks);
                }
            }
        }

        return array_map(static fn(array $sums): Interval => Resampling::percentiles(array_values(array_map(exp(...), $sums))), $logs);
    }
}

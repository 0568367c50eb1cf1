<?php

declare(strict_types=1);

namespace Larder\Cli\Report;

use Larder\Cli\Measure\Unit;
use Larder\Cli\Timing\Interval;

/**
 * One number for each setup of a table, as in ClickBench: the geometric mean of its ratios to the best setup of each
 * task. A score of 1 means that the setup is the best in every task. Its interval comes from the scores of single
 * rounds. docs/measure.md has the rules.
 *
 * @see https://github.com/ClickHouse/ClickBench
 * @phpstan-type Task array{name: string, unit: Unit, rows: array<string, Row>}
 */
final class Score
{
    /**
     * Nanoseconds added to both sides of a ratio. A program does at least this much around each call, so it does not
     * run twice as fast with a store that takes 40 ns as with one that takes 80 ns.
     */
    public const SHIFT = 100.0;

    /** A task that a setup failed, or was not measured in, counts as this many times the slowest other setup. */
    public const PENALTY = 2.0;

    /** Smaller than any figure that can be measured. */
    private const LEAST = 0.1;

    /**
     * @param float $score 1 or more; less is better
     * @param Interval|null $interval null for too few samples
     * @param list<string> $missing tasks that failed or were not measured
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
     * @return array{default: list<self>, other: list<self>} the best first. default: setups with default settings,
     *         scored among themselves; other: all other setups, scored among all. Stores that only one process can use
     *         are left out
     */
    public static function of(array $rows): array
    {
        $rows = array_values(array_filter($rows, self::counts(...)));
        $default = array_values(array_filter(
            $rows,
            static fn(Row $row): bool => Setup::of($row->subject)->isDefault(),
        ));

        return [
            'default' => self::scores($default),
            'other' => array_values(array_filter(
                self::scores($rows),
                static fn(self $score): bool => !$score->setup->isDefault(),
            )),
        ];
    }

    private static function counts(Row $row): bool
    {
        return !$row->isHistoric() && Kind::of($row->subject->store) !== Kind::Process
            && \in_array(
                $row->subject->unit,
                [Unit::Nanoseconds, Unit::RequestsPerSecond, Unit::OperationsPerSecond],
                true,
            );
    }

    /**
     * @param list<Row> $rows
     * @return list<self>
     */
    private static function scores(array $rows): array
    {
        $setups = $tasks = [];
        foreach ($rows as $row) {
            $setup = Setup::of($row->subject);
            $setups[$setup->name()] = $setup;
            $task = Setup::task($row->subject);
            $tasks[$task] ??= [
                'name' => trim($row->subject->operation . ' ' . $row->subject->value),
                'unit' => $row->subject->unit,
                'rows' => [],
            ];
            if ($row->median !== null) {
                $tasks[$task]['rows'][$setup->name()] = $row;
            }
        }
        $tasks = array_filter($tasks, static fn(array $task): bool => $task['rows'] !== []);
        $rounds = self::rounds($tasks);
        $ofMedians = self::means($tasks, array_keys($setups), static fn(Row $row): float => (float) $row->median);
        $ofRounds = [];
        for ($round = 0; $round < $rounds; ++$round) {
            foreach (self::means(
                $tasks,
                array_keys($setups),
                static fn(Row $row): float => $row->samples[$round] ?? 0.0,
            ) as $name => $mean) {
                $ofRounds[$name][] = $mean;
            }
        }
        $scores = [];
        foreach ($setups as $name => $setup) {
            $missing = array_values(array_map(
                static fn(array $task): string => $task['name'],
                array_filter($tasks, static fn(array $task): bool => !isset($task['rows'][$name])),
            ));
            if (\count($missing) < \count($tasks)) {
                $interval = Interval::ofMedian($ofRounds[$name] ?? []);
                $score = $ofMedians[$name];
                $scores[] = new self(
                    $setup,
                    $score,
                    $interval === null ? null : new Interval(min($score, $interval->low), max($score, $interval->high)),
                    $missing,
                    \count($tasks),
                );
            }
        }
        usort($scores, static fn(self $a, self $b): int => $a->score <=> $b->score);

        return $scores;
    }

    /**
     * @param array<string, Task> $tasks
     * @return int number of rounds that all rows have; 0 if it is too small for an interval
     */
    private static function rounds(array $tasks): int
    {
        $rounds = \PHP_INT_MAX;
        foreach ($tasks as ['rows' => $rows]) {
            foreach ($rows as $row) {
                $rounds = min($rounds, \count($row->samples));
            }
        }

        return $tasks === [] || $rounds < Interval::FEWEST ? 0 : $rounds;
    }

    /**
     * @param array<string, Task> $tasks
     * @param list<string> $setups
     * @param \Closure(Row): float $figure
     * @return array<string, float> by setup: the geometric mean over the tasks
     */
    private static function means(array $tasks, array $setups, \Closure $figure): array
    {
        $logs = array_fill_keys($setups, 0.0);
        foreach ($tasks as ['rows' => $rows, 'unit' => $unit]) {
            foreach (self::ratios($rows, $unit, $setups, $figure) as $setup => $ratio) {
                $logs[$setup] += log($ratio) / \count($tasks);
            }
        }

        return array_map(exp(...), $logs);
    }

    /**
     * @param array<string, Row> $rows by setup
     * @param list<string> $setups all of the table
     * @param \Closure(Row): float $figure
     * @return array<string, float> of all setups
     */
    private static function ratios(array $rows, Unit $unit, array $setups, \Closure $figure): array
    {
        $shift = $unit === Unit::Nanoseconds ? self::SHIFT : 0.0;
        $shifted = array_map(static fn(Row $row): float => max(self::LEAST, $figure($row)) + $shift, $rows);
        // The best by its median: the best of a single round would be a random one.
        $medians = array_map(static fn(Row $row): float => (float) $row->median, $rows);
        $unit->higherIsBetter() ? arsort($medians) : asort($medians);
        $best = $shifted[array_key_first($medians)] ?? 1.0;
        $ratios = array_map(
            static fn(float $of): float => $unit->higherIsBetter() ? $best / $of : $of / $best,
            $shifted,
        );
        $penalty = self::PENALTY * max([1.0, ...array_values($ratios)]);

        return $ratios + array_fill_keys($setups, $penalty);
    }
}

<?php

declare(strict_types=1);

namespace Larder\Cli\Command;

use Larder\Cli\Advice\Advice;
use Larder\Cli\Advice\Profile;
use Larder\Cli\Compare\PublishedCounterpart;
use Larder\Cli\Report\Figure;
use Larder\Cli\Report\Kind;
use Larder\Cli\Report\PairwiseTests;
use Larder\Cli\Report\Ranks;
use Larder\Cli\Report\Report;
use Larder\Cli\Report\Row;
use Larder\Cli\Report\Setup;
use Larder\Cli\Timing\Statistics;
use Symfony\Component\Console\Helper\Table;
use Symfony\Component\Console\Helper\TableCell;
use Symfony\Component\Console\Helper\TableCellStyle;
use Symfony\Component\Console\Output\OutputInterface;

/** All tables and lists of a report as text, at most 80 columns wide. */
final class Terminal
{
    private const WIDTH = 80;

    /** Percentiles of operations that were timed one by one. 100: the slowest. */
    private const PERCENTILES = ['p90' => 90.0, 'p99' => 99.0, 'p99.9' => 99.9, 'max' => 100.0];

    /** A note on more rows than this names only their stores. */
    private const NAMED_ROWS = 6;

    /** Table that is printed as one table for each value, with the operations side by side. */
    private const COMPARE = 'compare';

    /** Prefix of tables that show mean, standard deviation and percent of the fastest, as the study of 2016 did. */
    private const WITH_MEANS = '2016: ';

    private readonly TableCellStyle $right;

    /** Rows of the largest group that has too few rounds for ranks. */
    private int $unranked = 0;

    public function __construct(private readonly OutputInterface $output)
    {
        $this->right = new TableCellStyle(['align' => 'right']);
    }

    /** @param list<string> $environment lines */
    public function print(Report $report, array $environment, ?Profile $profile = null): void
    {
        $this->lines($environment);
        $tables = [];
        foreach ($report->rows as $row) {
            $tables[$row->subject->table][] = $row;
        }
        foreach ($tables as $name => $rows) {
            if ($name === self::COMPARE) {
                $this->comparison($rows);
            } else {
                $this->table($name, $rows);
            }
        }
        $this->legend($report->rows);
        $this->section('Notes', self::notes($report->rows));
        $this->section('Failed', self::failures($report->rows));
        $this->section('Not measured', self::missing($report->notMeasured));
        $this->section('What may have spoiled this run', $report->spoilers);
        foreach (Advice::of($report, $profile)?->details() ?? [] as $title => $lines) {
            $this->section($title, $lines);
        }
    }

    /** @param non-empty-list<Row> $rows */
    private function comparison(array $rows): void
    {
        $byValue = [];
        foreach ($rows as $row) {
            $byValue[(string) $row->subject->value][$row->subject->operation][] = $row;
        }
        foreach ($byValue as $value => $byOperation) {
            $this->output->writeln('');
            $this->value($value, $byOperation);
        }
    }

    /** @param non-empty-array<string, non-empty-list<Row>> $byOperation */
    private function value(string $value, array $byOperation): void
    {
        $title = $head = ['', ''];
        $lines = [];
        foreach ($byOperation as $operation => $rows) {
            $hasPublished = array_filter($rows, static fn(Row $row): bool => $row->published !== null) !== [];
            $title[] = new TableCell($operation, ['colspan' => $hasPublished ? 5 : 4, 'style' => $this->right]);
            array_push(
                $head,
                ...array_map(
                    $this->cell(...),
                    ['median', '±', 'ratio', '#', ...($hasPublished ? [PublishedCounterpart::study($value)] : [])],
                ),
            );
            $ranks = $this->ranks(Ranks::of(array_values(array_filter(
                $rows,
                static fn(Row $row): bool => Kind::of($row->subject->store) !== Kind::Process,
            ))));
            $best = self::best($rows);
            foreach ([...array_column(Ranks::of($rows), 'row'), ...$rows] as $row) {
                $lines[self::name($row)][$operation] ??= [
                    ...self::figure($row),
                    $best === null || $row->median === null ? '' : Figure::ratio($row->median / $best),
                    $ranks[$row->subject->key()] ?? '',
                    ...(
                        $hasPublished ? [$row->published === null ? '' : Figure::duration($row->published->figure)] : []
                    ),
                ];
            }
        }
        $first = reset($byOperation)[0]->subject;
        $this->output->writeln(
            str_contains($value, 'array')
                ? \sprintf('%s (%s bytes serialized)', $value, number_format((int) $first->bytes))
                : $value,
        );
        $table = new Table($this->output);
        $table->setStyle('compact')->setHeaders([$title, $head]);
        foreach ($lines as $name => $cells) {
            $line = [...explode(' ', $name, 2), ''];
            $line = [$line[0], $line[1]];
            foreach (array_keys($byOperation) as $operation) {
                array_push($line, ...array_map($this->cell(...), $cells[$operation] ?? ['', '', '', '']));
            }
            $table->addRow($line);
        }
        $table->render();
    }

    /** @param non-empty-list<Row> $rows */
    private function table(string $name, array $rows): void
    {
        $this->output->writeln(['', $name]);
        $groups = [];
        foreach ($rows as $row) {
            $groups[Setup::task($row->subject)][] = $row;
        }
        $hasPublished = array_filter($rows, static fn(Row $row): bool => $row->published !== null) !== [];
        $hasMeans = str_starts_with($name, self::WITH_MEANS);
        $hasPercentiles = array_filter($rows, static fn(Row $row): bool => $row->histogram !== null) !== [];
        $isMixed = !$hasMeans || \count($groups) > 1; // the tables of 2016 have the value in their names
        $hasOperations = \count(array_unique(array_map(static fn(Row $row): string => $row->subject->operation, $rows)))
            > 1;
        $table = new Table($this->output);
        $table->setStyle('compact')->setHeaders([
            ...($isMixed ? ['', ''] : ['']),
            ...array_map($this->cell(...), [
                ...($hasMeans ? ['mean', 'sd', '%'] : ['median', '±']),
                '#',
                ...($hasPublished ? ['published'] : []),
                ...($hasPercentiles ? array_keys(self::PERCENTILES) : []),
            ]),
        ]);
        foreach ($groups as $group) {
            $ranks = $this->ranks(Ranks::of($group));
            $means = array_map(
                static fn(Row $row): float => $row->samples === [] ? \INF : Statistics::mean($row->samples),
                $group,
            );
            foreach ($group as $row) {
                $subject = $row->subject;
                $published = $row->published === null ? '' : Figure::of($subject->unit, $row->published->figure);
                $figures = $hasMeans ? self::mean($row, min($means)) : self::figure($row);
                $table->addRow([
                    self::name($row) . ($row->isHistoric() ? ' (historic)' : ''),
                    ...($isMixed ? [
                        $hasOperations || $subject->value === null
                            ? trim($subject->operation . ' ' . $subject->value)
                            : $subject->value,
                    ] : []),
                    ...array_map($this->cell(...), [
                        ...$figures,
                        $ranks[$subject->key()] ?? '',
                        ...($hasPublished ? [$published] : []),
                        ...self::percentiles($row),
                    ]),
                ]);
            }
        }
        $table->render();
    }

    private function cell(string $text): TableCell
    {
        return new TableCell($text, ['style' => $this->right]);
    }

    /** "php-file disk *" */
    private static function name(Row $row): string
    {
        $isComparison = $row->subject->table === self::COMPARE;
        $settings = [];
        foreach ($row->subject->settings as $name => $setting) {
            $settings[] = match (true) {
                $isComparison && $setting === 'no opcache' => '*',
                $isComparison && $name === 'tier' => '+',
                $setting === 'on' => $name, // "redis socket persistent"
                default => $setting,
            };
        }

        return implode(' ', [$row->subject->name(), ...$settings]);
    }

    /** @return array{string, string} median and half the interval's width */
    private static function figure(Row $row): array
    {
        return match (true) {
            $row->isHistoric() => ['', ''],
            $row->median === null => ['FAILS', ''],
            default => [
                Figure::of($row->subject->unit, $row->median),
                $row->low === null || $row->high === null ? '' : Figure::spread($row->low, $row->median, $row->high),
            ],
        };
    }

    /** @return array{string, string, string} mean, standard deviation, percent of the smallest mean */
    private static function mean(Row $row, float $smallest): array
    {
        if ($row->samples === []) {
            return [self::figure($row)[0], '', ''];
        }
        $mean = Statistics::mean($row->samples);
        $deviation = Statistics::standardDeviation($row->samples);

        return [
            Figure::of($row->subject->unit, $mean),
            $deviation === null ? '' : Figure::of($row->subject->unit, $deviation),
            number_format(100 * $mean / $smallest),
        ];
    }

    /** @return list<string> empty if operations were not timed one by one */
    private static function percentiles(Row $row): array
    {
        return $row->histogram === null || $row->median === null
            ? []
            : array_map(
                static fn(float $percent): string => Figure::duration($row->histogram->percentile($percent)),
                array_values(self::PERCENTILES),
            );
    }

    /**
     * @param list<array{row: Row, rank: int|null}> $ranked
     * @return array<string, string> by Subject::key()
     */
    private function ranks(array $ranked): array
    {
        $texts = [];
        foreach ($ranked as ['row' => $row, 'rank' => $rank]) {
            $this->unranked = $rank === null ? max($this->unranked, \count($ranked)) : $this->unranked;
            $texts[$row->subject->key()] = (string) $rank;
        }

        return $texts;
    }

    /** @param list<Row> $rows */
    private static function best(array $rows): ?float
    {
        $medians = [];
        foreach ($rows as $row) {
            if ($row->median > 0.0 && Kind::of($row->subject->store) !== Kind::Process) {
                $medians[] = $row->median;
            }
        }

        return $medians === [] ? null : min($medians);
    }

    /** @param list<Row> $rows */
    private function legend(array $rows): void
    {
        $rounds = max([0, ...array_map(static fn(Row $row): int => \count($row->samples), $rows)]);
        if ($rounds === 0) {
            return;
        }
        $hasIntervals = array_filter($rows, static fn(Row $row): bool => $row->low !== null) !== [];
        $isComparison = $rows[0]->subject->table === self::COMPARE;
        $this->output->writeln('');
        $this->lines([implode(' ', [
            $hasIntervals
                ? \sprintf(
                    'A figure is the median of %d processes, ± half the width of its 95 %% confidence interval. %s',
                    $rounds,
                    $this->unranked === 0
                        ? 'Rows of the same rank (#) show no difference.'
                        : \sprintf(
                            'To distinguish %d rows, ranks need %d rounds.',
                            $this->unranked,
                            PairwiseTests::roundsFor($this->unranked),
                        ),
                )
                : \sprintf(
                    'A figure is the median of %d process%s: too few for intervals.',
                    $rounds,
                    $rounds === 1 ? '' : 'es',
                ),
            ...($isComparison ? [
                'The ratio is to the fastest store that other processes share (array is private).',
            ] : []),
            ...($isComparison ? [
                'Columns named for a year: published figures of that study, on its machine. *: without opcache. '
                    . '+: behind copies in Larder.',
            ] : []),
        ])]);
    }

    /**
     * @param list<Row> $rows
     * @return list<string> one for each note
     */
    private static function notes(array $rows): array
    {
        $byNote = $stores = [];
        foreach ($rows as $row) {
            foreach ($row->notes as $note) {
                $byNote[$note][] = self::name($row) . ' ' . $row->subject->operation;
                $stores[$note][] = $row->subject->name();
            }
        }

        foreach ($byNote as $note => $names) {
            $byNote[$note] = \count($names) > self::NAMED_ROWS ? $stores[$note] : $names;
        }

        return self::listed($byNote);
    }

    /**
     * @param list<Row> $rows
     * @return list<string> one for each store, operation and problem
     */
    private static function failures(array $rows): array
    {
        $values = $times = [];
        foreach ($rows as $row) {
            if ($row->median === null && $row->failures > 0) {
                $what = \sprintf('%s, %s: %s', self::name($row), $row->subject->operation, $row->problem);
                $values[$what][] = (string) $row->subject->value;
                $times[$what] = ($times[$what] ?? 0) + $row->failures;
            }
        }

        return array_map(
            static fn(string $what, array $names, int $failures): string
                => \sprintf('%s (%d times; %s)', $what, $failures, implode(', ', $names)),
            array_keys($values),
            $values,
            $times,
        );
    }

    /**
     * @param list<array{subject: \Larder\Cli\Measure\Subject, reason: string}> $rows
     * @return list<string> one for each reason
     */
    private static function missing(array $rows): array
    {
        $byReason = [];
        foreach ($rows as ['subject' => $subject, 'reason' => $reason]) {
            $byReason[$reason][] = ($subject->table === self::COMPARE ? '' : $subject->table . ': ') . $subject->name();
        }

        return self::listed($byReason);
    }

    /**
     * @param array<string, non-empty-list<string>> $byText names
     * @return list<string>
     */
    private static function listed(array $byText): array
    {
        return array_map(
            static fn(string $text, array $names): string => implode(', ', array_unique($names)) . ': ' . $text,
            array_keys($byText),
            $byText,
        );
    }

    /** @param list<string> $lines */
    private function section(string $title, array $lines): void
    {
        if ($lines !== []) {
            $this->output->writeln(['', $title]);
            $this->lines($lines, '  ');
        }
    }

    /** @param list<string> $lines */
    private function lines(array $lines, string $indent = ''): void
    {
        foreach ($lines as $line) {
            $wrapped = wordwrap($line, self::WIDTH - 2 * \strlen($indent), "\n" . $indent . $indent);
            $this->output->writeln($indent . $wrapped, OutputInterface::OUTPUT_RAW);
        }
    }
}

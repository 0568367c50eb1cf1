<?php

declare(strict_types=1);

namespace Larder\Cli\Report;

/**
 * The tables as in docs/measure.md: a line for each store, a column for each operation and value. Notes and failures
 * follow.
 */
final class Markdown implements Output
{
    private const NONE = '–';
    private const FAILED = 'FAIL';

    public function write(Report $report, string $file): void
    {
        TextFile::write($file, self::text($report));
    }

    public static function text(Report $report): string
    {
        $tables = [];
        foreach ($report->rows as $row) {
            $tables[$row->subject->table][] = $row;
        }
        $text = "# Larder compare\n\n" . self::list(Environment::lines($report->environment)) . "\n";
        foreach ($tables as $rows) {
            $text .= \sprintf(
                "## %s\n\n%s%s\n",
                self::plain($rows[0]->subject->table),
                self::table($rows),
                self::scores($rows),
            );
        }
        $sections = [
            'Failed' => self::failures($report->rows),
            'Notes' => self::notes($report->rows),
            'Not measured' => array_values(array_unique(array_map(
                static fn(array $missing): string
                    => \sprintf('%s: %s', $missing['subject']->name(), $missing['reason']),
                $report->notMeasured,
            ))),
            'What may have spoiled this run' => $report->spoilers,
        ];
        foreach ($sections as $title => $lines) {
            $text .= $lines === [] ? '' : \sprintf("## %s\n\n%s\n", $title, self::list($lines));
        }

        return rtrim($text) . "\n";
    }

    /** @param non-empty-list<Row> $rows */
    private static function table(array $rows): string
    {
        $columns = $lines = $names = $order = [];
        foreach ($rows as $row) {
            $context = substr(Setup::context($row->subject), \strlen($row->subject->table));
            $column = trim($row->subject->operation . ' ' . $row->subject->value . $context);
            $columns[$column] = true;
            $name = Setup::of($row->subject)->name() . ($row->isHistoric() ? ' (historic)' : '');
            $lines[$name][$column] = self::cell($row);
            $names[$name] = $name;
            $order[$name] ??= $row->median === null
                ? \INF
                : ($row->subject->unit->higherIsBetter() ? -$row->median : $row->median);
        }
        asort($order);
        $columns = array_map(strval(...), array_keys($columns));
        $text = self::line(['store', ...$columns]) . '|---|' . str_repeat('---:|', \count($columns)) . "\n";
        foreach (array_keys($order) as $name) {
            $text .= self::line([
                $names[$name],
                ...array_map(static fn(string $column): string => $lines[$name][$column] ?? self::NONE, $columns),
            ]);
        }

        return $text;
    }

    private static function cell(Row $row): string
    {
        $unit = $row->subject->unit;
        $published = $row->published === null
            ? ''
            : \sprintf('%s: %s', $row->published->study, Figure::of($unit, $row->published->figure));

        return match (true) {
            $row->isHistoric() => $published,
            $row->median === null => self::FAILED,
            default => Figure::of($unit, $row->median)
                . (
                    $row->low === null || $row->high === null
                    ? ''
                    : ' ' . Figure::spread($row->low, $row->median, $row->high)
                )
                . ($published === '' ? '' : " ($published)"),
        };
    }

    /** @param list<Row> $rows */
    private static function scores(array $rows): string
    {
        $text = '';
        foreach (Score::of($rows) as $kind => $scores) {
            if (\count($scores) > 1 || ($kind === 'other' && $scores !== [])) {
                $text .= \sprintf(
                    "\n%s: geometric mean of the ratios to the best of each column, 1 is best.\n\n",
                    $kind === 'default' ? 'Score, default settings' : 'Score, other settings',
                );
                $text .= self::line(['store', 'score', '95 %', 'missing']) . "|---|---:|---:|---:|\n";
                foreach ($scores as $score) {
                    $text .= self::line([
                        $score->setup->name(),
                        Figure::ratio($score->score),
                        $score->interval === null
                            ? self::NONE
                            : \sprintf(
                                '%s to %s',
                                Figure::ratio($score->interval->low),
                                Figure::ratio($score->interval->high),
                            ),
                        \sprintf('%d of %d', \count($score->missing), $score->tasks),
                    ]);
                }
            }
        }

        return $text;
    }

    /**
     * @param list<Row> $rows
     * @return list<string>
     */
    private static function failures(array $rows): array
    {
        $lines = [];
        foreach ($rows as $row) {
            if ($row->failures > 0) {
                $lines[] = \sprintf('%s, %s %s: %s (%d times)', Setup::of(
                    $row->subject,
                )->name(), $row->subject->operation, $row->subject->value, $row->problem, $row->failures);
            }
        }

        return $lines;
    }

    /**
     * @param list<Row> $rows
     * @return list<string>
     */
    private static function notes(array $rows): array
    {
        $names = [];
        foreach ($rows as $row) {
            foreach ($row->notes as $note) {
                $names[$note][Setup::of($row->subject)->name()] = true;
            }
        }

        return array_map(
            static fn(string $note, array $of): string => implode(', ', array_keys($of)) . ': ' . $note,
            array_keys($names),
            $names,
        );
    }

    /** @param list<string> $cells */
    private static function line(array $cells): string
    {
        return '| ' . implode(' | ', array_map(self::plain(...), $cells)) . " |\n";
    }

    /** @param list<string> $lines */
    private static function list(array $lines): string
    {
        return implode('', array_map(static fn(string $line): string => '- ' . self::plain($line) . "\n", $lines));
    }

    /** A value as text. It may have any type, because the file may come from another person. */
    private static function plain(string $text): string
    {
        return strtr(
            (string) preg_replace('/[\x00-\x1f\x7f]+/', ' ', $text),
            ['\\' => '\\\\', '|' => '\\|', '<' => '&lt;', '[' => '\\[', '`' => '\\`'],
        );
    }
}

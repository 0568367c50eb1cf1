<?php

declare(strict_types=1);

namespace Larder\Cli\Report\Html;

use Larder\Cli\Advice\Advice;
use Larder\Cli\Advice\Text;
use Larder\Cli\Measure\Subject;
use Larder\Cli\Report\Figure;
use Larder\Cli\Report\Report;
use Larder\Cli\Report\Row;
use Larder\Cli\Report\Score;

/** The part of the page below the first screen, folded. page.js draws the charts and tables into it. */
final class Folds
{
    private const STUDIES = 'studies';

    /** Sections of tables: prefix of the tables' names, id, title and first sentences. In the order of the page. */
    private const SECTIONS = [
        ['~^sail: interleaved|^http|^pages~', 'http', 'HTTP', 'Whole pages, served by a web server.'],
        [
            '~^(2008|2013|2016|sail)(:|$)~',
            self::STUDIES,
            'The studies, then and now',
            'Tables that others have published, measured again on this machine with today’s systems. Hardware and '
                . 'versions have changed: compare the order and the ratios, not the nanoseconds.',
        ],
        ['~^compare~', 'stores', 'Every store', 'One operation of one process on an open connection.'],
        ['~^objects~', 'objects', 'Objects', 'Values that are objects, which each store has to encode.'],
        [
            '~^latency~',
            'latency',
            'Latency',
            'Single operations, timed one by one and merged over all processes. Percentiles are never averaged.',
        ],
        [
            '~^rate~',
            'rate',
            'Latency under load',
            'Operations at a constant rate, whatever the store does. Each is counted from the moment when it was '
                . 'to start.',
        ],
        ['~throughput|^scaling~', 'scaling', 'Scaling', 'Several processes at once.'],
        [
            '~^memory~',
            'memory',
            'Memory and cost',
            'What an entry takes besides its value, and what an operation takes besides time.',
        ],
        ['~^(pressure|hit)~', 'hits', 'Hit rates', 'When the data is larger than the memory.'],
    ];

    /** @param string $data the report as a result file */
    public function __construct(
        private readonly Report $report,
        private readonly ?Advice $advice,
        private readonly string $title,
        private readonly string $data,
    ) {}

    public function html(): string
    {
        return implode("\n", [
            ...$this->measured(),
            $this->advice === null ? '' : (new Gets($this->advice))->html(),
            ...$this->more(),
            ...$this->scores(),
            ...$this->missing(),
            $this->machine(),
            $this->method(),
            $this->cite(),
        ]);
    }

    /** Folded; the summary states its result. */
    public static function fold(string $id, string $title, string $result, string $intro, string $content): string
    {
        return \sprintf(
            '<section id="%s"><details class="fold"><summary><h2>%s</h2><span>%s</span></summary>%s%s</details>'
                . '</section>',
            self::escaped($id),
            self::escaped($title),
            self::escaped($result),
            $intro === '' ? '' : '<p class="intro">' . self::escaped($intro) . '</p>',
            $content,
        );
    }

    public static function escaped(string $text): string
    {
        return htmlspecialchars($text, \ENT_QUOTES | \ENT_SUBSTITUTE | \ENT_HTML5);
    }

    /** @return list<string> the studies first: readers of the studies look for the published figures */
    private function measured(): array
    {
        $sections = [];
        foreach ($this->report->rows as $row) {
            $table = $row->subject->table;
            $prefix = explode(':', $table)[0];
            $known = array_filter(
                self::SECTIONS,
                static fn(array $section): bool => preg_match($section[0], $table) === 1,
            );
            $at = array_key_first($known);
            [, $id, $title, $intro] = $at === null ? [
                '',
                'more-' . self::slug($prefix),
                ucfirst($prefix),
                '',
            ] : $known[$at];
            $order = match (true) {
                $id === self::STUDIES => -1,
                $at === 0 || $at === null => \count(self::SECTIONS) + (int) ($at === null),
                default => $at,
            };
            $sections[$id] ??= ['order' => $order, 'title' => $title, 'intro' => $intro, 'tables' => []];
            $sections[$id]['tables'][$table][] = $row;
        }
        uasort($sections, static fn(array $a, array $b): int => $a['order'] <=> $b['order']);
        $html = [];
        foreach ($sections as $id => ['title' => $title, 'intro' => $intro, 'tables' => $tables]) {
            ksort($tables, \SORT_STRING);
            $panels = '';
            foreach (array_keys($tables) as $table) {
                $panels .= self::panel("$table", $id === self::STUDIES);
            }
            $html[] = self::fold($id, $title, self::result(array_merge(...array_values($tables))), $intro, $panels);
        }

        return $html;
    }

    private static function panel(string $table, bool $isStudy): string
    {
        $name = str_contains($table, ': ') && !$isStudy ? explode(': ', $table, 2)[1] : $table;

        return \sprintf(
            '<article class="card panel" id="panel-%1$s" data-table="%2$s" aria-labelledby="%1$s-title"><h3 '
                . 'id="%1$s-title">%3$s</h3></article>',
            self::slug($table),
            self::escaped($table),
            self::escaped($table === 'compare' ? 'Stores and values' : ucfirst($name)),
        );
    }

    /** @param list<Row> $rows */
    private static function result(array $rows): string
    {
        $failed = \count(array_filter($rows, self::isFailed(...)));

        return Text::counted(\count($rows), 'row') . ", $failed failed";
    }

    private static function isFailed(Row $row): bool
    {
        return $row->failures > 0 || ($row->median === null && !$row->isHistoric());
    }

    /** The name of a panel in addresses, as page.js builds it. */
    private static function slug(string $name): string
    {
        return trim((string) preg_replace('/[^a-z0-9]+/', '-', strtolower($name)), '-');
    }

    /** @return list<string> */
    private function more(): array
    {
        $details = $this->advice?->details() ?? [];
        // "Tmpfs instead of a disk: php-file disk 136 µs (112 µs to 207 µs), …"
        $saved = preg_match('/^(.+?): .*? ([\d.]+ \S+) \(/', $details['Saves time'][0] ?? '', $most) === 1
            ? "$most[1] saves $most[2] a request"
            : 'no change that was measured saves time';
        $content = '';
        foreach ($details as $title => $lines) {
            $content .= '<div><h3>' . self::escaped($title) . '</h3>' . self::list($lines) . '</div>';
        }

        return $details === [] ? [] : [
            self::fold(
                'advice',
                'More to gain',
                $saved,
                'From the figures of this run. They alone decide; no store has a rule of its own.',
                "<div class=\"card advice\">$content</div>",
            ),
        ];
    }

    /**
     * @return list<string> only for the table `compare`, in which all stores do the same; in other tables, a score
     *         would say little more than the order
     */
    private function scores(): array
    {
        $rows = array_values(
            array_filter($this->report->rows, static fn(Row $row): bool => $row->subject->table === 'compare'),
        );
        $content = $best = '';
        foreach (Score::of($rows) as $kind => $scores) {
            if (\count($scores) > 1) {
                $best = $best === '' ? 'best: ' . $scores[0]->setup->title() : $best;
                $title = $kind === 'default' ? 'Default settings' : 'Other settings';
                $content .= "<div class=\"card\"><h3>$title</h3>" . self::table($title, [
                    'Store',
                    'Score',
                    '95 % interval',
                    'Without a figure',
                ], array_map(static fn(Score $score): array => [
                    $score->setup->name(),
                    Figure::ratio($score->score),
                    $score->interval === null
                        ? '–'
                        : Figure::ratio($score->interval->low) . ' – ' . Figure::ratio($score->interval->high),
                    $score->missing === [] ? '–' : implode(', ', $score->missing),
                ], $scores)) . '</div>';
            }
        }

        return $content === '' ? [] : [
            self::fold(
                'score',
                'Score',
                $best,
                'One number for each store: the geometric mean of its ratios to the best in each row. 1 is the '
                    . 'best everywhere; a row without a figure costs twice the slowest. Default settings and others '
                    . 'apart.',
                $content,
            ),
        ];
    }

    /** @return list<string> */
    private function missing(): array
    {
        $failed = array_values(array_filter($this->report->rows, self::isFailed(...)));
        $historic = array_values(array_filter($this->report->rows, static fn(Row $row): bool => $row->isHistoric()));
        $reasons = $published = [];
        foreach ($this->report->notMeasured as ['subject' => $subject, 'reason' => $reason]) {
            $reasons[$subject->table][self::name($subject, false)][$reason][] = $subject->value;
        }
        foreach ($historic as $row) {
            $figure = Figure::of($row->subject->unit, $row->published->figure ?? 0.0);
            $value = $row->subject->value === null ? $figure : "{$row->subject->value}: $figure";
            $published[$row->subject->table][self::name($row->subject, false)][''][] = $value;
        }
        $content = [
            'failed' => [
                \count($failed),
                ['Table', 'Row', 'Failures', 'Reason'],
                array_map(
                    static fn(Row $row): array => [
                        $row->subject->table,
                        self::name($row->subject),
                        number_format($row->failures),
                        $row->problem,
                    ],
                    $failed,
                ),
            ],
            'not measured' => [
                \count($this->report->notMeasured),
                ['Table', 'Row', 'Values', 'Reason'],
                self::merged($reasons),
            ],
            'historic' => [
                \count($historic),
                ['Table', 'Row', 'Published figures'],
                array_map(static fn(array $line): array => \array_slice($line, 0, 3), self::merged($published)),
            ],
        ];
        $html = '';
        foreach ($content as $title => [$count, $heads, $lines]) {
            $html .= $count === 0 ? '' : '<h3>' . self::rows($count, $title) . '</h3>' . self::table(
                "Rows: $title",
                $heads,
                $lines,
            );
        }

        return $html === '' ? [] : [self::fold(
            'missing',
            'Failed, not measured, historic',
            Text::counted(array_sum(array_column($content, 0)), 'row'),
            'A store that fails once in a row has no figure in it. Historic rows have their published figure '
                . 'alone, as their engines no longer exist for today’s PHP.',
            "<div class=\"card missing\">$html</div>",
        )];
    }

    /** "1 row failed", "3 historic rows" */
    private static function rows(int $count, string $what): string
    {
        return $what === 'historic' ? Text::counted($count, 'historic row') : Text::counted($count, 'row') . " $what";
    }

    /**
     * @param array<string, array<string, array<string, list<?string>>>> $values by table, row and reason
     * @return list<list<string>> a line for each reason
     */
    private static function merged(array $values): array
    {
        $lines = [];
        foreach ($values as $table => $rows) {
            foreach ($rows as $row => $reasons) {
                foreach ($reasons as $reason => $of) {
                    $lines[] = [
                        "$table",
                        "$row",
                        implode(
                            ', ',
                            array_unique(array_filter($of, static fn(?string $value): bool => (string) $value !== '')),
                        ),
                        "$reason",
                    ];
                }
            }
        }

        return $lines;
    }

    /** "redis, tcp, get, 1k, processes 2" */
    private static function name(Subject $subject, bool $hasValue = true): string
    {
        return implode(', ', array_filter([
            $subject->store,
            (string) $subject->connection,
            $subject->operation,
            $hasValue ? (string) $subject->value : '',
            ...array_map(
                static fn(string $value, string $name): string => "$name $value",
                $subject->settings,
                array_keys($subject->settings),
            ),
        ], static fn(string $part): bool => $part !== ''));
    }

    private function machine(): string
    {
        $environment = $this->report->environment;
        $nested = array_filter(
            array_map(
                static fn(mixed $value): array => \is_object($value) || (\is_array($value) && !array_is_list($value))
                    ? (array) $value
                    : [],
                $environment,
            ),
        );
        $content = '';
        foreach (['run' => array_diff_key($environment, $nested), ...$nested] as $title => $facts) {
            $content .= '<div><h3>' . self::escaped(ucfirst(strtr("$title", '_', ' '))) . '</h3><dl>';
            foreach ($facts as $name => $fact) {
                $content .= '<dt>' . self::escaped(
                    strtr((string) $name, '_', ' '),
                ) . '</dt><dd>' . self::escaped(self::spoken($fact)) . '</dd>';
            }
            $content .= '</dl></div>';
        }
        $php = $environment['php'] ?? null;
        $system = $environment['system'] ?? null;

        return self::fold(
            'machine',
            'Machine, versions, settings',
            implode(', ', [...(\is_string($php) ? ["PHP $php"] : []), ...(\is_string($system) ? [$system] : [])]),
            '',
            "<div class=\"card facts\">$content</div>",
        );
    }

    private static function spoken(mixed $fact): string
    {
        if (\is_array($fact) || \is_object($fact)) {
            $parts = array_map(
                static fn(int|string $name, mixed $part): string => (\is_int($name) ? '' : strtr($name, '_', ' ') . ' ')
                    . self::spoken($part),
                array_keys((array) $fact),
                (array) $fact,
            );

            return $parts === [] ? 'none' : implode(', ', $parts);
        }

        return match ($fact) {
            null, '' => '–',
            true => 'on',
            false => 'off',
            default => \is_scalar($fact) ? (string) $fact : '–',
        };
    }

    private function method(): string
    {
        $rounds = max([0, ...array_map(static fn(Row $row): int => \count($row->samples), $this->report->rows)]);
        $hasIntervals = array_filter($this->report->rows, static fn(Row $row): bool => $row->low !== null) !== [];

        $result = Text::counted($rounds, 'round') . ', shuffled, every value checked';

        return self::fold('method', 'How it was measured', $result, '', '<div class="card">' . self::list([
            'A figure is the median of up to ' . Text::counted($rounds, 'sample') . '. Each sample comes from a '
                . 'fresh process, or from one run of a load generator.',
            'The run goes in rounds. Each round measures everything once, in an order that is shuffled again for '
                . 'each round, so that a change of the machine meets all stores alike.',
            $hasIntervals
                ? 'Intervals are 95 % confidence intervals of the median: of ten samples, from the second smallest '
                    . 'to the second largest. Rows share a rank if the exact rank sum test, corrected for the number '
                    . 'of rows, shows no difference between them.'
                : 'There are no intervals: they need six samples for a figure. So this run shows no differences '
                    . 'between stores.',
            'Values are checked while they are measured. A store that loses or changes a value, or fails, has no '
                . 'figure in that row: it is listed with the reason.',
            'Percentiles come from histograms of single operations that are merged over all processes. A '
                . 'percentile is at most 0.8 % too high.',
            'On a logarithmic scale a position shows a figure, so figures are drawn as dots. On a linear scale '
                . 'they are bars from zero.',
            'Every store is measured by the same code, and drawn in the same way. Colors and symbols follow the '
                . 'alphabet.',
        ]) . '</div>');
    }

    private function cite(): string
    {
        $flat = array_map(
            static fn(mixed $fact): string => \is_scalar($fact) ? (string) $fact : '',
            $this->report->environment,
        );
        [
            'larder' => $larder,
            'processor' => $processor,
            'cores' => $cores,
            'php' => $php,
            'date' => $date,
        ] = $flat + array_fill_keys(['larder', 'processor', 'cores', 'php', 'date'], '');
        $date = substr($date, 0, 10);
        $checksum = 'sha256:' . hash('sha256', explode("\n", $this->data, 2)[1] ?? '');
        $citation = implode(', ', array_filter([
            rtrim("larder compare $larder"),
            $processor,
            $cores === '' ? '' : Text::counted((int) $cores, 'core'),
            $php === '' ? '' : "PHP $php",
            $date,
            $checksum,
        ], static fn(string $part): bool => $part !== ''));
        $bibtex = \sprintf(
            "@misc{larder-%s,\n  title = {%s},\n  howpublished = {larder compare %s},\n"
                . "  date = {%s},\n  note = {%s}\n}",
            $date === '' ? 'report' : $date,
            $this->title,
            $larder,
            $date,
            $checksum,
        );

        $intro = 'The checksum is that of the rows below, as in the file of --json: it names this run.';

        return self::fold('cite', 'Cite this, get the data', 'JSON Lines, CSV, BibTeX', $intro, \sprintf(
            '<div class="card"><p class="cite" id="citation">%s</p><pre class="cite">%s</pre><p class="downloads">'
                . '<button type="button" id="download-jsonl">JSON Lines (%s)</button> <button type="button" '
                . 'id="download-csv">CSV</button></p></div>',
            self::escaped($citation),
            self::escaped($bibtex),
            Text::bytes(\strlen($this->data)),
        ));
    }

    /** @param list<string> $lines */
    private static function list(array $lines): string
    {
        return '<ul><li>' . implode('</li><li>', array_map(self::escaped(...), $lines)) . '</li></ul>';
    }

    /**
     * @param list<string> $heads
     * @param list<list<string>> $lines
     */
    private static function table(string $label, array $heads, array $lines): string
    {
        $html = '';
        foreach ($lines as $line) {
            $cells = array_map(self::escaped(...), $line);
            $html .= '<tr><th scope="row">' . array_shift($cells) . '</th><td class="text">' . implode(
                '</td><td class="text">',
                $cells,
            ) . '</td></tr>';
        }

        return \sprintf(
            '<div class="scroll" tabindex="0" role="region" aria-label="%s"><table><thead><tr><th scope="col" '
                . 'class="text">%s</th></tr></thead><tbody>%s</tbody></table></div>',
            self::escaped($label),
            implode('</th><th scope="col" class="text">', array_map(self::escaped(...), $heads)),
            $html,
        );
    }
}

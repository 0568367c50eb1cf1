<?php

declare(strict_types=1);

namespace Larder\Cli\Report\Html;

use Larder\Cli\Advice\Advice;
use Larder\Cli\Advice\Profile;
use Larder\Cli\Report\Ranks;
use Larder\Cli\Report\Report;
use Larder\Cli\Report\ResultFile;
use Larder\Cli\Report\Row;
use Larder\Cli\Report\Setup;
use Larder\Cli\Timing\Histogram;

/**
 * The page of a report. The files of cli/report/ and the data become one file. The data are the JSON Lines of --json,
 * gzipped, because thousands of rows would be large otherwise. page.js draws their charts.
 */
final class Page
{
    private const PERCENTILES = [50, 75, 90, 95, 99, 99.5, 99.9, 99.95, 99.99, 99.999, 100];

    public function __construct(private readonly Report $report, private readonly ?Profile $profile = null) {}

    public function html(): string
    {
        $scripts = [
            '{{d3}}' => self::part('vendor/d3/d3.min.js'),
            '{{plot}}' => self::part('vendor/plot/plot.umd.min.js'),
            '{{script}}' => self::part('page.js'),
        ];

        // Studies and workloads are read in their charts; the first screen is for `compare`.
        $advice = Advice::of($this->report, $this->profile);
        $screen = $this->isComparison() && $advice !== null && $advice->chart() !== [] ? new Screen($advice) : null;
        $data = ResultFile::encode($this->report);

        return strtr(self::part('page.html'), $scripts + [
            '{{title}}' => Folds::escaped($this->title()),
            '{{headline}}' => $screen?->headline() ?? Folds::escaped($this->title()),
            '{{lead}}' => $screen?->lead() ?? '',
            '{{run}}' => Folds::escaped($this->run()),
            '{{screen}}' => ($screen?->html() ?? '') . $this->spoilers(),
            '{{filters}}' => (new Filters($this->report))->html(),
            '{{folds}}' => (new Folds($this->report, $advice, $this->title(), $data))->html(),
            '{{css}}' => self::part('page.css'),
            // The browser runs only these scripts, and connects to nothing.
            '{{script-hashes}}' => implode(
                ' ',
                array_map(
                    static fn(string $script): string => \sprintf(
                        "'sha256-%s'",
                        base64_encode(hash('sha256', $script, true)),
                    ),
                    $scripts,
                ),
            ),
            '{{licences}}' => Folds::escaped(
                self::part('vendor/d3/LICENSE') . "\n" . self::part('vendor/plot/LICENSE'),
            ),
            '{{ranks}}' => json_encode($this->ranks(), \JSON_THROW_ON_ERROR),
            '{{data}}' => base64_encode((string) gzencode($data, 9)),
        ]);
    }

    private function isComparison(): bool
    {
        return array_filter(
            $this->report->rows,
            static fn(Row $row): bool => $row->subject->table === 'compare',
        ) !== [];
    }

    private function title(): string
    {
        $processor = $this->report->environment['processor'] ?? null;
        $published = array_filter($this->report->rows, static fn(Row $row): bool => $row->published !== null);
        $isRepeated = $published !== [] && !$this->isComparison();
        $what = $isRepeated ? 'Published figures of PHP caches, measured again' : 'PHP caches, measured';

        return $what . (\is_string($processor) && $processor !== '' ? " on $processor" : '');
    }

    /** "23 Nov 2026 · PHP 8.2.36 · Intel Xeon, 2 cores" */
    private function run(): string
    {
        $environment = array_filter($this->report->environment, \is_scalar(...));
        $date = strtotime((string) ($environment['date'] ?? ''));

        return implode(' · ', array_filter([
            $date === false ? '' : gmdate('j M Y', $date),
            isset($environment['php']) ? "PHP {$environment['php']}" : '',
            implode(
                ', ',
                array_filter(
                    [
                        (string) ($environment['processor'] ?? ''),
                        isset($environment['cores']) ? "{$environment['cores']} cores" : '',
                    ],
                    self::isSaid(...),
                ),
            ),
        ], self::isSaid(...)));
    }

    private static function isSaid(string $text): bool
    {
        return $text !== '';
    }

    /** A single spoiler is a line, several are folded. */
    private function spoilers(): string
    {
        $spoilers = array_map(Folds::escaped(...), $this->report->spoilers);
        $title = 'May have spoiled this run';

        return match (\count($spoilers)) {
            0 => '',
            1 => "<p class=\"notice\" id=\"spoilers\"><b>$title:</b> $spoilers[0]</p>",
            default => \sprintf(
                '<details class="notice" id="spoilers"><summary><b>%s:</b> %d facts</summary><ul><li>%s</li></ul>'
                    . '</details>',
                $title,
                \count($spoilers),
                implode('</li><li>', $spoilers),
            ),
        };
    }

    /**
     * @return list<array{int, int|null, list<array{float|int, int}>|null}> for each row: the number of its task, its
     *         rank in that task, and percentiles
     */
    private function ranks(): array
    {
        $tasks = $ranks = $ranked = [];
        foreach ($this->report->rows as $row) {
            $tasks[Setup::task($row->subject)][] = $row;
        }
        foreach ($tasks as $rows) {
            foreach (Ranks::of($rows) as ['row' => $row, 'rank' => $rank]) {
                $ranks[spl_object_id($row)] = $rank;
            }
        }
        $numbers = array_flip(array_keys($tasks));
        foreach ($this->report->rows as $row) {
            $ranked[] = [
                $numbers[Setup::task($row->subject)],
                $ranks[spl_object_id($row)] ?? null,
                $row->histogram === null ? null : self::percentiles($row->histogram),
            ];
        }

        return $ranked;
    }

    /** @return list<array{float|int, int}>|null pairs of percentage and nanoseconds, if an operation was above them */
    private static function percentiles(Histogram $histogram): ?array
    {
        $count = $histogram->count();
        $percents = array_filter(
            self::PERCENTILES,
            static fn(float|int $percent): bool => \in_array($percent, [50, 100], true)
                || $count * (100 - $percent) / 100 >= 1,
        );

        return $count === 0 ? null : array_map(
            static fn(float|int $percent): array => [$percent, $histogram->percentile($percent)],
            array_values($percents),
        );
    }

    private static function part(string $file): string
    {
        return (string) file_get_contents(\dirname(__DIR__, 3) . '/report/' . $file);
    }
}

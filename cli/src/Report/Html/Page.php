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

/**
 * The page of a report. The files of cli/report/ and the data become one file. The data are the JSON Lines of --json,
 * gzipped, because thousands of rows would be large otherwise. page.js draws their charts.
 */
final class Page
{
    public function __construct(private readonly Report $report, private readonly ?Profile $profile = null) {}

    public function html(): string
    {
        $scripts = [
            '{{d3}}' => self::part('vendor/d3/d3.min.js'),
            '{{plot}}' => self::part('vendor/plot/plot.umd.min.js'),
            '{{script}}' => self::part('page.js'),
        ];

        // Studies and workloads are read in their charts; the first screen is for `compare`.
        $isComparison = array_filter(
            $this->report->rows,
            static fn(Row $row): bool => $row->subject->table === 'compare',
        ) !== [];
        $advice = Advice::of($this->report, $this->profile);
        $screen = $isComparison && $advice !== null && $advice->chart() !== [] ? new Screen($advice) : null;
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

    private function title(): string
    {
        $processor = $this->report->environment['processor'] ?? null;

        return 'PHP caches, measured' . (\is_string($processor) && $processor !== '' ? " on $processor" : '');
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

    /** @return list<array{int, int|null}> for each row: the number of its task, and its rank in that task */
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
            $ranked[] = [$numbers[Setup::task($row->subject)], $ranks[spl_object_id($row)] ?? null];
        }

        return $ranked;
    }

    private static function part(string $file): string
    {
        return (string) file_get_contents(\dirname(__DIR__, 3) . '/report/' . $file);
    }
}

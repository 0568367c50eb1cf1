<?php

declare(strict_types=1);

namespace Larder\Cli\Report\Html;

use Larder\Cli\Advice\Advice;
use Larder\Cli\Advice\Profile;
use Larder\Cli\Report\Report;
use Larder\Cli\Report\ResultFile;
use Larder\Cli\Report\Row;
use Larder\Cli\Report\Score;

/**
 * The page of a report. cli/report/ holds its parts, which are put into one file with the data: the same JSON Lines
 * that --json writes, gzipped, as thousands of rows would be large otherwise. page.js draws the rest in the browser.
 */
final class Page
{
    private const FLAGS = \JSON_THROW_ON_ERROR | \JSON_PRESERVE_ZERO_FRACTION | \JSON_HEX_TAG | \JSON_UNESCAPED_UNICODE | \JSON_UNESCAPED_SLASHES | \JSON_INVALID_UTF8_SUBSTITUTE;

    public function __construct(private readonly Report $report, private readonly ?Profile $profile = null) {}

    public function html(): string
    {
        $scripts = [
            '{{d3}}' => self::part('vendor/d3/d3.min.js'),
            '{{plot}}' => self::part('vendor/plot/plot.umd.min.js'),
            '{{script}}' => self::part('page.js'),
        ];

        // Studies and workloads are read in their charts.
        $isComparison = array_filter(
            $this->report->rows,
            static fn(Row $row): bool => $row->subject->table === 'compare',
        ) !== [];
        $advice = Advice::of($this->report, $this->profile);
        $screen = $isComparison && $advice !== null && $advice->chart() !== []
            ? new Screen($this->report, $advice)
            : null;

        return strtr(self::part('page.html'), $scripts + [
            '{{title}}' => self::escaped($this->title()),
            '{{headline}}' => $screen?->headline() ?? self::escaped($this->title()),
            '{{run}}' => self::escaped($this->run()),
            '{{screen}}' => $screen?->html() ?? '',
            '{{css}}' => self::part('page.css'),
            // The browser runs these scripts and no other, and connects to nothing.
            '{{script-hashes}}' => implode(
                ' ',
                array_map(
                    static fn(string $script): string
                        => \sprintf("'sha256-%s'", base64_encode(hash('sha256', $script, true))),
                    $scripts,
                ),
            ),
            '{{licences}}' => self::escaped(self::part('vendor/d3/LICENSE') . "\n" . self::part('vendor/plot/LICENSE')),
            '{{facts}}' => json_encode(
                ['advice' => (object) ($advice?->details() ?? []), 'scores' => $this->scores()],
                self::FLAGS,
            ),
            '{{data}}' => base64_encode((string) gzencode(ResultFile::encode($this->report), 9)),
        ]);
    }

    private function title(): string
    {
        $processor = $this->report->environment['processor'] ?? null;

        return \is_string($processor) && $processor !== ''
            ? 'PHP caches, measured on ' . $processor
            : 'PHP caches, measured';
    }

    /** "23 Nov 2026 · PHP 8.2.36 · Intel Xeon, 2 cores" */
    private function run(): string
    {
        $environment = array_filter($this->report->environment, \is_scalar(...));
        $date = strtotime((string) ($environment['date'] ?? ''));

        return implode(' · ', array_filter([
            $date === false ? '' : gmdate('j M Y', $date),
            isset($environment['php']) ? "PHP {$environment['php']}" : '',
            implode(', ', array_filter([
                (string) ($environment['processor'] ?? ''),
                isset($environment['cores']) ? "{$environment['cores']} cores" : '',
            ], self::isSaid(...))),
        ], self::isSaid(...)));
    }

    private static function isSaid(string $text): bool
    {
        return $text !== '';
    }

    /**
     * Of the table in which every store does the same. Those of others say little besides the order of the figures, and
     * take seconds.
     *
     * @return list<array{title: string, scores: list<array{name: string, store: string, connection: ?string, score: float, low: ?float, high: ?float, rounds: list<float>, missing: list<string>}>}>
     */
    private function scores(): array
    {
        $rows = array_values(array_filter(
            $this->report->rows,
            static fn(Row $row): bool => $row->subject->table === 'compare',
        ));
        $scores = [];
        foreach (Score::of($rows) as $kind => $ofKind) {
            if (\count($ofKind) > 1) {
                $scores[] = [
                    'title' => $kind === 'default' ? 'Default settings' : 'Other settings',
                    'scores' => array_map(static fn(Score $score): array => [
                        'name' => $score->setup->name(),
                        'store' => $score->setup->store,
                        'connection' => $score->setup->connection,
                        'score' => $score->score,
                        'low' => $score->interval?->low,
                        'high' => $score->interval?->high,
                        'rounds' => $score->rounds,
                        'missing' => $score->missing,
                    ], $ofKind),
                ];
            }
        }

        return $scores;
    }

    private static function escaped(string $text): string
    {
        return htmlspecialchars($text, \ENT_QUOTES | \ENT_SUBSTITUTE | \ENT_HTML5);
    }

    private static function part(string $file): string
    {
        return (string) file_get_contents(\dirname(__DIR__, 3) . '/report/' . $file);
    }
}

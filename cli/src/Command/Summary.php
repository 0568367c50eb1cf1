<?php

declare(strict_types=1);

namespace Larder\Cli\Command;

use Larder\Cli\Advice\Advice;
use Larder\Cli\Advice\Answer;
use Larder\Cli\Advice\Bar;
use Larder\Cli\Advice\Profile;
use Larder\Cli\Advice\Text;
use Larder\Cli\Report\Figure;
use Larder\Cli\Report\Report;
use Larder\Cli\Report\Row;
use Larder\Cli\Report\Setup;
use Symfony\Component\Console\Formatter\OutputFormatter;
use Symfony\Component\Console\Output\OutputInterface;

/** The answer of a report on one screen of 24 lines and 80 columns. */
final class Summary
{
    private const WIDTH = 79;
    private const NAME = 20;
    private const BAR = 36;
    private const LABEL = 18;

    /** Number of reasons that fit on the screen. */
    private const REASONS = 2;

    public function __construct(private readonly OutputInterface $output) {}

    /**
     * @param list<string> $more last lines: where to find the rest
     * @param float|null $seconds that the run took
     */
    public function print(Report $report, ?Profile $profile, array $more = [], ?float $seconds = null): void
    {
        $advice = Advice::of($report, $profile);
        if ($advice !== null && $advice->chart() !== []) {
            $this->chart($advice);
            $this->output->writeln('');
            foreach ($advice->answers() as $title => $answer) {
                $this->answer($title, $answer);
            }
        }
        $this->caveats($report);
        $rounds = $advice?->fewRounds() ?? 0;
        $this->plain(rtrim(self::counts($report, $seconds) . ' ' . match (true) {
            $rounds > 0 => 'To be sure: ./larder compare',
            $profile === null => $advice?->shareOfPage(),
            default => '',
        }));
        array_map($this->plain(...), $more);
    }

    private function chart(Advice $advice): void
    {
        [$type, $bytes] = $advice->example();
        $chart = $advice->chart();
        $bars = array_merge(...array_values($chart));
        $longest = max([1.0, ...array_map(static fn(Bar $bar): float => $bar->cost->value, $bars)]);
        $rounds = $advice->fewRounds();
        $this->plain(self::ends(
            \sprintf(
                'Cache time of one request (%s)%s',
                $advice->request(),
                $rounds > 0 ? ', ' . Text::counted($rounds, 'round') : '',
            ),
            $type === 'other' ? 'get of an array' : 'get of ' . Text::bytes($bytes),
        ));
        foreach ($chart as $title => $ofGroup) {
            $this->plain(" $title");
            foreach ($ofGroup as $bar) {
                $halves = max(1, (int) round(2 * self::BAR * $bar->cost->value / $longest));
                $drawn = str_repeat('━', intdiv($halves, 2)) . ($halves % 2 === 1 ? '╸' : '');
                $name = self::padded($bar->title, self::NAME);
                $figure = self::padded(Figure::duration($bar->cost->value), -8);
                $get = $bar->get === null ? '' : Figure::duration($bar->get);
                $line = OutputFormatter::escape(self::ends("  $name$figure $drawn", $get));
                $this->output->writeln($bar->isBest ? "<options=bold>$line</>" : $line);
            }
        }
    }

    private function answer(string $title, Answer $answer): void
    {
        $lines = explode("\n", wordwrap($answer->text, self::WIDTH - self::LABEL));
        // The DSN stays on one line, so that it can be copied.
        if ($answer->dsn !== '') {
            $last = array_pop($lines);
            $isShort = mb_strwidth("$last $answer->dsn") <= self::WIDTH - self::LABEL;
            array_push($lines, ...($isShort ? ["$last $answer->dsn"] : [$last, $answer->dsn]));
        }
        foreach ($lines as $i => $line) {
            $this->plain(self::padded($i === 0 ? $title : '', self::LABEL) . $line);
        }
    }

    /** Failures, stores that were left out, and facts that may have spoiled the run. */
    private function caveats(Report $report): void
    {
        $failed = $missing = [];
        foreach ($report->rows as $row) {
            if ($row->failures > 0) {
                $failed[\sprintf(
                    '%s %s: %s',
                    Setup::of($row->subject)->name(),
                    $row->subject->operation,
                    $row->problem,
                )] = true;
            }
        }
        foreach ($report->notMeasured as ['subject' => $subject, 'reason' => $reason]) {
            $missing[$reason][] = Setup::of($subject)->name();
        }
        $missing = array_map(
            static fn(string $reason, array $names): string => implode(', ', array_unique($names)) . ': ' . $reason,
            array_keys($missing),
            $missing,
        );
        // Each begins with the fact. Advice follows after a colon or a full stop, and is cut off here.
        $spoilers = array_map(static function (string $spoiler): string {
            $fact = (string) preg_replace('/[:.] .*$/s', '', $spoiler);

            return preg_match('/^[A-Z][A-Z]/', $fact) === 1 ? $fact : lcfirst($fact);
        }, $report->spoilers);
        if ($failed === [] && $missing === []) {
            $this->output->writeln(''); // only if the screen has a line left
        }
        foreach (['Failed' => array_keys($failed), 'Left out' => $missing] as $title => $lines) {
            foreach (\array_slice($lines, 0, self::REASONS) as $line) {
                $this->wrapped("$title: $line");
            }
            if (\count($lines) > self::REASONS) {
                $this->plain(\sprintf('%s: %d more, named in the table', $title, \count($lines) - self::REASONS));
            }
        }
        if ($spoilers !== []) {
            $this->wrapped('May have spoiled this run: ' . implode('; ', $spoilers) . '.');
        }
    }

    private static function counts(Report $report, ?float $seconds): string
    {
        $stores = \count(array_unique(array_map(static fn(Row $row): string => $row->subject->store, $report->rows)));
        $rows = \count($report->rows);
        $failed = \count(array_filter($report->rows, static fn(Row $row): bool => $row->failures > 0));

        return \sprintf(
            '%s, %s, %d failed%s.',
            Text::counted($stores, 'store'),
            Text::counted($rows, 'row'),
            $failed,
            $seconds === null ? '' : ', ' . Text::minutes($seconds),
        );
    }

    private static function ends(string $left, string $right): string
    {
        return rtrim($left . self::padded($right, -max(mb_strwidth($right) + 1, self::WIDTH - mb_strwidth($left))));
    }

    /** @param int $width negative: to the right */
    private static function padded(string $text, int $width): string
    {
        $spaces = str_repeat(' ', max(0, abs($width) - mb_strwidth($text)));

        return $width < 0 ? $spaces . $text : $text . $spaces;
    }

    private function wrapped(string $text): void
    {
        $this->plain(wordwrap($text, self::WIDTH - 2, "\n  "));
    }

    private function plain(string $text): void
    {
        $this->output->writeln($text, OutputInterface::OUTPUT_RAW);
    }
}

<?php

declare(strict_types=1);

namespace Larder\Cli\Report\Html;

use Larder\Cli\Advice\Advice;
use Larder\Cli\Advice\Answer;
use Larder\Cli\Advice\Bar;
use Larder\Cli\Report\Figure;

/** The first screen of the page: headline, chart and the three answers of the terminal. It works without scripts. */
final class Screen
{
    /** Setups that the headline names besides the best one. */
    private const KNOWN = ['apcu', 'redis tcp'];

    /** Geometry of the chart for wide windows and for phones: where bars begin and end, the height of a row. */
    private const WIDE = ['width' => 1030, 'left' => 236, 'right' => 900, 'row' => 31, 'bar' => 19];
    private const NARROW = ['width' => 324, 'left' => 0, 'right' => 236, 'row' => 43, 'bar' => 14];

    public function __construct(private readonly Advice $advice) {}

    /** "A request’s cache calls take 4.04 µs with Larder, 63 µs with APCu and 207 µs with Redis" */
    public function headline(): string
    {
        $bars = array_merge(...array_values($this->advice->chart()));
        $best = array_shift($bars);
        if ($best === null) {
            return '';
        }
        $named = array_filter($bars, static fn(Bar $bar): bool => \in_array($bar->setup, self::KNOWN, true));
        $named = \array_slice($named === [] ? $bars : $named, 0, \count(self::KNOWN));
        $with = static fn(Bar $bar): string => Folds::escaped(self::short($bar->cost->value) . ' with ' . $bar->title);
        $others = array_map($with, $named);
        $last = array_pop($others);

        return \sprintf(
            'A request’s cache calls take <em>%s</em>%s%s',
            $with($best),
            implode('', array_map(static fn(string $other): string => ", $other", $others)),
            $last === null ? '' : " and $last",
        );
    }

    /** "One machine: use Larder. Several machines: use Memcached." */
    public function lead(): string
    {
        $lead = '';
        foreach ($this->advice->answers() as $title => $answer) {
            if ($title !== Advice::CHANGE) {
                $lead .= Folds::escaped(
                    "$title: " . strtr(
                        rtrim(explode('. ', $answer->text, 2)[0], '.'),
                        ['Use ' => 'use ', 'Put ' => 'put '],
                    ) . '. ',
                );
            }
        }

        return $lead === '' ? '' : '<p class="lead">' . rtrim($lead) . '</p>';
    }

    public function html(): string
    {
        $caption = $this->advice->fewRounds() > 0
            ? \sprintf('Medians of %d processes: too few for intervals.', $this->advice->fewRounds())
            : 'Medians of the rounds; thin lines are 95 % intervals.';
        $cards = '';
        foreach ($this->advice->answers() as $title => $answer) {
            $cards .= self::card($title, $answer);
        }

        return \sprintf(
            '<figure class="card first"><h2>Cache time of one request</h2><p class="note">%s; %s. Shorter is '
                . 'better.</p>%s%s<figcaption class="note">%s Servers answer over TCP on this machine; a network '
                . 'adds its delay to each call.</figcaption></figure><div class="three">%s</div>',
            Folds::escaped($this->advice->request()),
            $this->advice->isOwn ? 'sizes as in the profile' : 'each measured size equally often',
            $this->svg(self::WIDE, 'wide'),
            $this->svg(self::NARROW, 'narrow'),
            $caption,
            $cards,
        );
    }

    /** The chart as a file of its own, legible on white and on black, as GitHub has both. */
    public function picture(string $source): string
    {
        $chart = $this->svg(self::WIDE, 'wide');
        $height = preg_match('/viewBox="0 0 \d+ (\d+)"/', $chart, $size) === 1 ? (int) $size[1] : 0;
        $style = [
            'text { font: 15px -apple-system, Segoe UI, Helvetica, Arial, sans-serif; fill: #767d85 }',
            '.g, .t { font-size: 13px } .g, .best { font-weight: 600 } .v.best, .bar.best { fill: #2f81f7 }',
            '.bar { fill: #8c959f } .grid { stroke: #767d85; stroke-opacity: .4 } .ci { stroke: #5d656e; fill: none }',
        ];

        return \sprintf(
            '<svg xmlns="http://www.w3.org/2000/svg" viewBox="-8 0 %1$d %2$d" width="%1$d" height="%2$d">' . "\n"
                . "<style>%3\$s</style>\n" . '<text y="20" class="g">Cache time of one request: %4$s. Shorter is '
                . "better.</text>\n%5\$s\n" . '<text y="%6$d" class="t">%7$s</text>' . "\n</svg>\n",
            self::WIDE['width'] + 16,
            $height + 60,
            implode(' ', $style),
            Folds::escaped($this->advice->request()),
            str_replace(
                ['<svg class="wide" ', '<text ', '</svg>'],
                ["<svg y=\"30\" height=\"$height\" ", "\n<text ", "\n</svg>"],
                $chart,
            ),
            $height + 50,
            Folds::escaped($source),
        );
    }

    private static function card(string $title, Answer $answer): string
    {
        [$first, $rest] = [...explode('. ', $answer->text, 2), ''];

        return \sprintf(
            '<section class="card"><h2>%s</h2><p class="big">%s</p><p>%s</p>%s</section>',
            Folds::escaped($title),
            Folds::escaped(rtrim($first, '.')),
            Folds::escaped($rest),
            $answer->dsn === '' ? '' : '<code class="dsn">' . Folds::escaped($answer->dsn) . '</code>',
        );
    }

    /** @param array{width: int, left: int, right: int, row: int, bar: int} $size */
    private function svg(array $size, string $class): string
    {
        $chart = $this->advice->chart();
        $bars = array_merge(...array_values($chart));
        $most = max([1.0, ...array_map(static fn(Bar $bar): float => self::high($bar), $bars)]);
        $step = self::step($most / 4);
        $x = static fn(float $cost): float => round(
            $size['left'] + ($size['right'] - $size['left']) * $cost / $most,
            1,
        );
        $isWide = $class === 'wide';
        $y = 8;
        $drawn = $words = '';
        foreach ($chart as $title => $ofGroup) {
            $drawn .= \sprintf('<text class="g" x="0" y="%d">%s</text>', $y + 18, Folds::escaped($title));
            $y += 30;
            foreach ($ofGroup as $bar) {
                $top = $isWide ? $y : $y + 16;
                $best = $bar->isBest ? ' best' : '';
                $figure = Figure::duration($bar->cost->value);
                $drawn .= \sprintf(
                    '<text class="n%s" x="%d" y="%d" text-anchor="%s">%s</text><rect class="bar%s" x="%d" y="%d" '
                        . 'width="%s" height="%d"/>',
                    $best,
                    $isWide ? $size['left'] - 14 : 0,
                    $isWide ? $y + 15 : $y + 11,
                    $isWide ? 'end' : 'start',
                    Folds::escaped($bar->title),
                    $best,
                    $size['left'],
                    $top,
                    max(2.0, $x($bar->cost->value) - $size['left']),
                    $size['bar'],
                );
                $middle = $top + $size['bar'] / 2;
                if ($bar->cost->hasInterval()) {
                    [$low, $high] = [$x($bar->cost->interval()->low), $x($bar->cost->interval()->high)];
                    $drawn .= $high - $low < 4.0 ? '' : \sprintf(
                        '<path class="ci" d="M%1$s %3$sH%2$sM%1$s %4$sv8M%2$s %4$sv8"/>',
                        $low,
                        $high,
                        $middle,
                        $middle - 4,
                    );
                }
                $drawn .= \sprintf(
                    '<text class="v%s" x="%s" y="%s">%s</text>',
                    $best,
                    max($x(self::high($bar)), $size['left'] + 2) + 8,
                    $middle + 5,
                    $figure,
                );
                $words .= " $bar->title $figure.";
                $y += $size['row'];
            }
            $y += 8;
        }
        $grid = '';
        for ($tick = 0.0; $tick <= $most; $tick += $step) {
            $grid .= \sprintf(
                '<path class="grid" d="M%1$s %4$sV%2$d"/><text class="t" x="%1$s" y="%3$d" '
                    . 'text-anchor="%5$s">%6$s</text>',
                $x($tick),
                $isWide ? $y : $y + 6,
                $y + 18,
                $isWide ? 8 : $y,
                $isWide || $tick > 0.0 ? 'middle' : 'start',
                $tick > 0.0 ? self::short($tick) : '0',
            );
        }

        return \sprintf(
            '<svg class="%s" viewBox="0 0 %d %d" role="img" aria-label="Cache time of one request.%s">%s%s</svg>',
            $class,
            $size['width'],
            $y + 24,
            Folds::escaped($words),
            $grid,
            $drawn,
        );
    }

    private static function high(Bar $bar): float
    {
        return $bar->cost->hasInterval() ? $bar->cost->interval()->high : $bar->cost->value;
    }

    /** The smallest number of the form 1, 2 or 5 times a power of ten that is not below $least. */
    private static function step(float $least): float
    {
        $power = 10 ** floor(log10($least));
        foreach ([1, 2, 5] as $factor) {
            if ($factor * $power >= $least) {
                return $factor * $power;
            }
        }

        return 10 * $power;
    }

    /** "200 µs" */
    public static function short(float $nanoseconds): string
    {
        return (string) preg_replace('/\.0+ /', ' ', Figure::duration($nanoseconds));
    }
}

<?php

declare(strict_types=1);

namespace Larder\Cli\Report\Html;

use Larder\Cli\Advice\Advice;
use Larder\Cli\Advice\Text;
use Larder\Cli\Report\Figure;

/** The fold of one get by the size of its value: dots on a logarithmic scale, because a bar would claim a length. */
final class Gets
{
    /**
     * Geometry for wide windows and for phones: where the dots begin and end, the height of a row, and the dots within
     * it.
     */
    private const WIDE = ['width' => 1030, 'left' => 320, 'right' => 930, 'row' => 32, 'dots' => 16];
    private const NARROW = ['width' => 324, 'left' => 60, 'right' => 256, 'row' => 44, 'dots' => 32];

    /** Space at each end, as a fraction of a factor of ten. */
    private const MARGIN = 0.2;

    public function __construct(private readonly Advice $advice) {}

    public function html(): string
    {
        $gets = $this->advice->gets();
        if (\count($gets) < 2) {
            return '';
        }
        [$type, $bytes] = $this->advice->example();
        $value = ($type === 'other' ? 'an array of ' : 'a string of ') . Text::bytes($bytes);
        $result = implode(
            ', ',
            array_map(
                static fn(array $get): string => Figure::duration($get['large']) . " with {$get['title']}",
                \array_slice($gets, 0, 3),
            ),
        );

        return Folds::fold('get', 'One get, by size', "$value: $result", '', \sprintf(
            '<figure class="card first"><p class="note">Hollow dot: a string of %s. Filled dot: %s%s. Further left is '
                . 'better; each line is ten times the one before. If both dots are at one place, the store returns a '
                . 'pointer; the others copy or unserialize the value.</p>%s%s</figure>',
            Text::bytes($this->advice->smallest()),
            $value,
            $type === 'other' ? ', serialized' : '',
            self::svg($gets, self::WIDE, 'wide'),
            self::svg($gets, self::NARROW, 'narrow'),
        ));
    }

    /**
     * @param non-empty-list<array{title: string, small: float, large: float}> $gets
     * @param array{width: int, left: int, right: int, row: int, dots: int} $size
     */
    private static function svg(array $gets, array $size, string $class): string
    {
        $isWide = $class === 'wide';
        $figures = array_map(
            static fn(float $figure): float => max(0.1, $figure),
            [...array_column($gets, 'small'), ...array_column($gets, 'large')],
        );
        [$least, $most] = [log10(min($figures)) - self::MARGIN, log10(max($figures)) + self::MARGIN];
        $x = static fn(float $figure): float => round(
            $size['left'] + ($size['right'] - $size['left']) * (log10(max(0.1, $figure)) - $least) / ($most - $least),
            1,
        );
        $bottom = \count($gets) * $size['row'] + 4;
        $drawn = $words = '';
        for ($power = (int) ceil($least); $power <= $most; ++$power) {
            $drawn .= \sprintf(
                '<path class="grid" d="M%1$s 4V%2$d"/><text class="t" x="%1$s" y="%3$d" '
                    . 'text-anchor="middle">%4$s</text>',
                $x(10 ** $power),
                $bottom,
                $bottom + 18,
                Screen::short(10 ** $power),
            );
        }
        foreach ($gets as $i => ['title' => $title, 'small' => $small, 'large' => $large]) {
            $top = $i * $size['row'];
            $y = $top + $size['dots'];
            $best = $i === 0 ? ' best' : '';
            [$low, $high] = [min($small, $large), max($small, $large)];
            $drawn .= \sprintf(
                '<text class="n%1$s" x="%2$d" y="%3$d" text-anchor="%4$s">%5$s</text><path class="link%1$s" '
                    . 'd="M%6$s %8$dH%7$s"/><circle class="dot open%1$s" cx="%6$s" cy="%8$d" r="5"/><circle '
                    . 'class="dot%1$s" cx="%7$s" cy="%8$d" r="6"/>'
                    . '<text class="t" x="%9$s" y="%10$d" text-anchor="end">%11$s</text>'
                    . '<text class="v%1$s" x="%12$s" y="%10$d">%13$s</text>',
                $best,
                $isWide ? $size['left'] - 70 : 0,
                $isWide ? $y + 5 : $top + 16,
                $isWide ? 'end' : 'start',
                Folds::escaped($title),
                $x($small),
                $x($large),
                $y,
                $x($low) - 11,
                $y + 5,
                Figure::duration($low),
                $x($high) + 12,
                Figure::duration($high),
            );
            $words .= " $title " . Figure::duration($small) . ' and ' . Figure::duration($large) . '.';
        }

        return \sprintf(
            '<svg class="%s" viewBox="0 0 %d %d" role="img" aria-label="One get of the smallest string, and of the '
                . 'larger value.%s">%s</svg>',
            $class,
            $size['width'],
            $bottom + 24,
            Folds::escaped($words),
            $drawn,
        );
    }
}

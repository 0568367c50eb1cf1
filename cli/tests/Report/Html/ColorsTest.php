<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Report\Html;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

/** The colors of stores in the HTML report, as seen with each kind of color blindness. */
final class ColorsTest extends TestCase
{
    /**
     * How red, green and blue are seen.
     *
     * @see https://doi.org/10.1109/TVCG.2009.113 Machado, Oliveira and Fernandes, at full severity
     */
    private const SIGHT = [
        'normal' => [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
        'protanopia' => [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ],
        'deuteranopia' => [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ],
        'tritanopia' => [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ],
    ];

    /** Distance in CIELAB, where a difference of 2.3 is just visible side by side. */
    private const APART = 14.0;

    private const PAGES = ['light' => '#ffffff', 'dark' => '#171d24'];

    /** @return iterable<string, array{string, string}> */
    public static function sights(): iterable
    {
        foreach (array_keys(self::PAGES) as $scheme) {
            foreach (array_keys(self::SIGHT) as $sight) {
                yield "$scheme, $sight" => [$scheme, $sight];
            }
        }
    }

    #[DataProvider('sights')]
    public function testColorsAreApart(string $scheme, string $sight): void
    {
        $colors = self::colors($scheme);
        self::assertCount(7, $colors);
        foreach ($colors as $i => $one) {
            foreach (\array_slice($colors, $i + 1) as $other) {
                self::assertGreaterThan(self::APART, self::distance($one, $other, $sight), "$one and $other");
            }
        }
        // The control: two colors that are alike with deuteranopia only.
        self::assertSame($sight === 'deuteranopia', self::distance('#d55e00', '#b27800', $sight) < 3);
    }

    #[DataProvider('sights')]
    public function testColorsStandOutFromThePage(string $scheme): void
    {
        foreach (self::colors($scheme) as $color) {
            $luminances = [self::luminance($color), self::luminance(self::PAGES[$scheme])];
            self::assertGreaterThan(3.0, (max($luminances) + 0.05) / (min($luminances) + 0.05), $color);
        }
    }

    /** @return list<string> */
    private static function colors(string $scheme): array
    {
        $script = (string) file_get_contents(\dirname(__DIR__, 3) . '/report/page.js');
        self::assertSame(1, preg_match("/^    $scheme: \\[('#.*)\\],$/m", $script, $match));
        preg_match_all('/#[0-9a-f]{6}/', $match[1], $colors);

        return $colors[0];
    }

    private static function distance(string $one, string $other, string $sight): float
    {
        [$a, $b] = [self::lab($one, $sight), self::lab($other, $sight)];

        return sqrt(($a[0] - $b[0]) ** 2 + ($a[1] - $b[1]) ** 2 + ($a[2] - $b[2]) ** 2);
    }

    /** @return array{float, float, float} CIELAB */
    private static function lab(string $color, string $sight): array
    {
        $light = self::light($color);
        [$r, $g, $b] = array_map(
            static fn(array $row): float
                => min(1.0, max(0.0, $row[0] * $light[0] + $row[1] * $light[1] + $row[2] * $light[2])),
            self::SIGHT[$sight],
        );
        $curve = static fn(float $part): float => $part > 0.008856 ? $part ** (1 / 3) : 7.787 * $part + 16 / 116;
        $x = $curve((0.4124 * $r + 0.3576 * $g + 0.1805 * $b) / 0.95047);
        $y = $curve(0.2126 * $r + 0.7152 * $g + 0.0722 * $b);
        $z = $curve((0.0193 * $r + 0.1192 * $g + 0.9505 * $b) / 1.08883);

        return [116 * $y - 16, 500 * ($x - $y), 200 * ($y - $z)];
    }

    private static function luminance(string $color): float
    {
        [$r, $g, $b] = self::light($color);

        return 0.2126 * $r + 0.7152 * $g + 0.0722 * $b;
    }

    /** @return array{float, float, float} */
    private static function light(string $color): array
    {
        $of = static function (int $at) use ($color): float {
            $part = hexdec(substr($color, $at, 2)) / 255;

            return $part <= 0.04045 ? $part / 12.92 : (($part + 0.055) / 1.055) ** 2.4;
        };

        return [$of(1), $of(3), $of(5)];
    }
}

<?php

declare(strict_types=1);

/*
 * Draws README's chart: the time of one get of the 50 x 50 array, in bars of logarithmic length.
 *
 *     php lab/figures/chart.php docs/figures/compare.jsonl docs/figures/chart.svg
 *
 * Each store is shown with its fastest connection. All colours are legible on white and on black, as GitHub has both.
 */

use Larder\Lab\Figures\Measured;

require __DIR__ . '/../../vendor/autoload.php';

const STORES = [
    'larder' => 'larder', 'php-file' => 'PHP file in opcache', 'apcu' => 'APCu', 'memcached' => 'Memcached', 'redis' => 'Redis', 'sqlite' => 'SQLite',
];
const WIDTH = 760;
const ROW = 34;
const BAR = 22;
const TOP = 66;
const LEFT = 170;
const TICKS = ['10 ns' => 1e1, '100 ns' => 1e2, '1 µs' => 1e3, '10 µs' => 1e4, '100 µs' => 1e5, '1 ms' => 1e6];
/** Positions of the first and the last tick. */
const AXIS = [LEFT, WIDTH - 30];
const OURS = '#2f81f7';
const OTHERS = '#8c959f';
const TEXT = '#767d85';

function position(float $nanoseconds): float
{
    return AXIS[0] + (AXIS[1] - AXIS[0]) * log10($nanoseconds / TICKS['10 ns']) / (count(TICKS) - 1);
}

function label(float $x, float $y, string $text, string $more = ''): string
{
    return sprintf('<text x="%.1f" y="%.1f"%s>%s</text>', $x, $y, $more, htmlspecialchars($text));
}

[, $source, $file] = [...$argv, '', ''];
$figures = Measured::read($source);
$medians = [];
foreach ($figures->rows as $row) {
    $store = Measured::text($row, 'store');
    $median = Measured::number($row, 'median');
    if (isset(STORES[$store]) && [$row['value'] ?? null, $row['operation'] ?? null] === ['50 x 50 array', 'get'] && $median !== null) {
        $medians[$store] = min($median, $medians[$store] ?? \INF);
    }
}
asort($medians);

$bottom = TOP + ROW * count($medians);
$height = $bottom + 48;
$svg = [
    sprintf('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%1$d" height="%2$d" role="img" font-family="-apple-system, Segoe UI, Helvetica, Arial, sans-serif" font-size="14" fill="%3$s">', WIDTH, $height, TEXT),
    '<title>One get of a 50 x 50 array: ' . implode(', ', array_map(static fn(string $store, float $median): string => STORES[$store] . ' ' . Measured::duration($median), array_keys($medians), $medians)) . '</title>',
    label(4, 18, 'Time of one get of a 50 x 50 array (shorter is better)', ' font-size="16" font-weight="600"'),
];
foreach (TICKS as $label => $nanoseconds) {
    $svg[] = sprintf('<path d="M%.1f %dv8" stroke="%s"/>', position($nanoseconds), TOP - 14, TEXT);
    $svg[] = label(position($nanoseconds), TOP - 20, $label, ' text-anchor="middle" font-size="12"');
}
$y = TOP;
foreach ($medians as $store => $median) {
    $isOurs = $store === 'larder';
    $svg[] = label(LEFT - 12, $y + BAR - 5, STORES[$store], ' text-anchor="end"' . ($isOurs ? ' font-weight="600"' : ''));
    $svg[] = sprintf('<rect x="%d" y="%d" width="%.1f" height="%d" rx="2" fill="%s"/>', LEFT, $y, max(1.0, position($median) - LEFT), BAR, $isOurs ? OURS : OTHERS);
    foreach (TICKS as $nanoseconds) {
        if ($nanoseconds > TICKS['10 ns'] && $nanoseconds < $median) {
            $svg[] = sprintf('<path d="M%.1f %dv%d" stroke="#fff" stroke-opacity=".5"/>', position($nanoseconds), $y, BAR);
        }
    }
    $svg[] = label(position($median) + 8, $y + BAR - 5, Measured::duration($median), $isOurs ? ' font-weight="600"' : '');
    $y += ROW;
}
$svg[] = label(4, $bottom + 20, 'Logarithmic: each tick is 10x the one before. Medians of larder compare on one machine, each store by its', ' font-size="12"');
$svg[] = label(4, $bottom + 38, 'fastest connection. ' . $figures->machine() . '.', ' font-size="12"');
file_put_contents($file, implode("\n", $svg) . "\n</svg>\n");

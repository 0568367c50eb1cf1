<?php

declare(strict_types=1);

/*
 * Writes the table of the figures between the marks of a page.
 *
 *     php tools/figures-table.php figures.json README.md
 *
 * The figures are what `./larder compare --json` wrote. A connection is named where a store has several.
 */

const BEGIN = '<!-- figures: written by tools/figures -->';
const END = '<!-- end of figures -->';

/** Value and operation of each column. */
const COLUMNS = [
    'get 10 bytes' => ['10b', 'get'],
    'get 64 kB' => ['64k', 'get'],
    'get 50 x 50 array' => ['50 x 50 array', 'get'],
    'set 10 bytes' => ['10b', 'set'],
    'set 64 kB' => ['64k', 'set'],
    'set 50 x 50 array' => ['50 x 50 array', 'set'],
];

function stop(string $message): never
{
    fwrite(\STDERR, "tools/figures: $message\n");
    exit(1);
}

/** With three digits, in the unit that fits: 21.4 ns, 1.53 µs, 12.0 ms. */
function duration(float $nanoseconds): string
{
    $units = ['ns', 'µs', 'ms', 's'];
    $power = 0;
    while ($nanoseconds >= 999.5 && $power < 3) {
        $nanoseconds /= 1000;
        ++$power;
    }
    $decimals = max(0, 2 - (int) floor(log10(max(1.0, $nanoseconds))));

    return number_format($nanoseconds, $decimals, '.', '') . " $units[$power]";
}

[, $source, $page] = [...$argv, null, null];
if ($source === null || $page === null) {
    stop('which figures, and into which page?');
}
$figures = json_decode((string) @file_get_contents($source), true);
if (!is_array($figures) || ($figures['format'] ?? null) !== 1 || !is_array($figures['rows'] ?? null)) {
    stop("$source does not hold the figures of ./larder compare --json; tools/figures makes it.");
}
$text = (string) file_get_contents($page);
$begin = strpos($text, BEGIN);
$end = strpos($text, END);
if ($begin === false || $end === false || $end < $begin) {
    stop("$page lacks the lines " . BEGIN . ' and ' . END);
}

$cells = $order = [];
foreach ($figures['rows'] as $row) {
    assert(is_array($row) && is_string($row['store']) && is_string($row['value']) && is_string($row['operation']));
    $connection = is_string($row['connection']) && $row['connection'] !== '' ? ", {$row['connection']}" : '';
    $name = $row['store'] . $connection;
    $median = $row['median_ns'];
    $cells[$name][$row['value']][$row['operation']] = is_int($median) || is_float($median) ? (float) $median : null;
}
uasort($cells, static fn(array $a, array $b): int => ($a['10b']['get'] ?? \INF) <=> ($b['10b']['get'] ?? \INF));

$lines = ['| store | ' . implode(' | ', array_keys(COLUMNS)) . ' |', '|---|' . str_repeat('---:|', count(COLUMNS))];
foreach ($cells as $name => $values) {
    $line = "| $name |";
    foreach (COLUMNS as [$value, $operation]) {
        $median = $values[$value][$operation] ?? null;
        $line .= $median === null ? ' fails |' : ' ' . duration($median) . ' |';
    }
    $lines[] = $line;
}
$on = $figures['measured_on'];
assert(is_array($on));
$words = static fn(string $key): string => is_scalar($on[$key] ?? null) ? (string) $on[$key] : '';
$about = sprintf(
    'Medians of `./larder compare`, made by `make figures` on %s: PHP %s, %s, %s cores.',
    substr($words('date'), 0, 10),
    $words('php'),
    $words('processor'),
    $words('cores'),
);
file_put_contents($page, substr($text, 0, $begin) . BEGIN . "\n$about\n\n" . implode("\n", $lines) . "\n" . substr($text, $end));

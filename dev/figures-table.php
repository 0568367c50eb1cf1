<?php

declare(strict_types=1);

/*
 * Writes the table of the figures between the marks of a page.
 *
 *     php dev/figures-table.php figures.json docs/compare.md
 *
 * The figures are what `./larder compare --json` wrote, a connection being named where a store has several; or what
 * `./larder figures library --json` wrote.
 */

const BEGIN = '<!-- figures: written by dev/figures -->';
const END = '<!-- end of figures -->';

/** Value and operation of each column of the comparison. */
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
    fwrite(\STDERR, "dev/figures: $message\n");
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

/**
 * @param array<mixed> $rows
 * @return list<string>
 */
function comparison(array $rows): array
{
    $cells = [];
    foreach ($rows as $row) {
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

    return $lines;
}

/**
 * Ours beside the peer's.
 *
 * @param array<mixed> $rows
 * @return list<string>
 */
function ratios(array $rows): array
{
    $number = static fn(mixed $value): ?float => is_int($value) || is_float($value) ? (float) $value : null;
    $lines = ['| what | beside | Larder | the other | ratio | more | to be reached | |', '|---|---|---:|---:|---:|---:|---|---|'];
    foreach ($rows as $name => $row) {
        assert(is_array($row));
        [$ours, $theirs, $ratio, $more] = array_map($number, [$row['ours'] ?? null, $row['theirs'] ?? null, $row['ratio'] ?? null, $row['more'] ?? null]);
        if ($ours === null || $theirs === null || $ratio === null || $more === null || !is_string($row['work']) || !is_string($row['peer'])) {
            $lines[] = "| $name | | fails | | | | | |";
            continue;
        }
        $bound = $number($row['bound'] ?? null);
        $moreBound = $number($row['more_bound'] ?? null);
        $goals = [...($bound === null ? [] : ["$bound of it"]), ...($moreBound === null ? [] : [sprintf('+%.0f ns', $moreBound)])];
        $isReached = ($bound !== null && $ratio <= $bound) || ($moreBound !== null && $more <= $moreBound);
        $lines[] = sprintf(
            '| %s | %s | %s | %s | %.*f | %+.0f ns | %s | %s |',
            $row['work'],
            $row['peer'],
            duration($ours),
            duration($theirs),
            $ratio < 0.1 ? 4 : 2,
            $ratio,
            $more,
            implode(' or ', $goals),
            $isReached ? 'reached' : '**missed**',
        );
    }

    return $lines;
}

[, $source, $page] = [...$argv, null, null];
if ($source === null || $page === null) {
    stop('which figures, and into which page?');
}
$figures = json_decode((string) @file_get_contents($source), true);
if (!is_array($figures) || !is_array($figures['rows'] ?? null) || !is_array($figures['measured_on'] ?? null)) {
    stop("$source does not hold the figures of ./larder compare or ./larder figures; dev/figures makes it.");
}
$text = (string) file_get_contents($page);
$begin = strpos($text, BEGIN);
$end = strpos($text, END);
if ($begin === false || $end === false || $end < $begin) {
    stop("$page lacks the lines " . BEGIN . ' and ' . END);
}

$on = $figures['measured_on'];
$words = static fn(string $key): string => is_scalar($on[$key] ?? null) ? (string) $on[$key] : '';
$isComparison = ($figures['format'] ?? null) === 1;
$about = sprintf(
    'Medians of `./larder %s`, made by `make figures` on %s: PHP %s, %s, %s cores.',
    $isComparison ? 'compare' : 'figures library',
    substr($words('date'), 0, 10),
    $words('php'),
    $words('processor'),
    $words('cores'),
);
$lines = $isComparison ? comparison($figures['rows']) : ratios($figures['rows']);
file_put_contents($page, substr($text, 0, $begin) . BEGIN . "\n$about\n\n" . implode("\n", $lines) . "\n" . substr($text, $end));

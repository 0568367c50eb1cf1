<?php

declare(strict_types=1);

/*
 * Writes the table of the figures between the marks of a page.
 *
 *     php dev/figures-table.php docs/figures/compare.jsonl docs/compare.md
 *
 * The figures are what `./larder compare --json` or `dev/figures library` wrote.
 */

use Larder\Dev\Figures\Measured;

require __DIR__ . '/../vendor/autoload.php';

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

/**
 * A line for each store and connection.
 *
 * @param list<array<mixed>> $rows
 * @return list<string>
 */
function comparison(array $rows): array
{
    $cells = [];
    foreach ($rows as $row) {
        $connection = Measured::text($row, 'connection');
        $settings = array_filter((array) ($row['settings'] ?? []), is_string(...));
        $name = implode(', ', [Measured::text($row, 'store'), ...($connection === '' ? [] : [$connection]), ...array_values($settings)]);
        $cells[$name][Measured::text($row, 'value')][Measured::text($row, 'operation')] = Measured::number($row, 'median');
    }
    uasort($cells, static fn(array $a, array $b): int => ($a['10b']['get'] ?? \INF) <=> ($b['10b']['get'] ?? \INF));

    $lines = ['| store | ' . implode(' | ', array_keys(COLUMNS)) . ' |', '|---|' . str_repeat('---:|', count(COLUMNS))];
    foreach ($cells as $name => $values) {
        $columns = array_map(static fn(array $column): string => Measured::duration($values[$column[0]][$column[1]] ?? null), COLUMNS);
        $lines[] = "| $name | " . implode(' | ', $columns) . ' |';
    }

    return $lines;
}

/**
 * Ours beside the peer's.
 *
 * @param list<array<mixed>> $rows
 * @return list<string>
 */
function ratios(array $rows): array
{
    $lines = ['| what | beside | Larder | the other | ratio | more | to be reached | |', '|---|---|---:|---:|---:|---:|---|---|'];
    foreach ($rows as $row) {
        [$ours, $theirs, $ratio, $more] = array_map(static fn(string $key): ?float => Measured::number($row, $key), ['ours', 'theirs', 'ratio', 'more']);
        if ($ours === null || $theirs === null || $ratio === null || $more === null) {
            $lines[] = sprintf('| %s | | fails | | | | | |', Measured::text($row, 'name'));
            continue;
        }
        $bound = Measured::number($row, 'bound');
        $moreBound = Measured::number($row, 'more_bound');
        $goals = [...($bound === null ? [] : ["$bound of it"]), ...($moreBound === null ? [] : [sprintf('+%.0f ns', $moreBound)])];
        $isReached = ($bound !== null && $ratio <= $bound) || ($moreBound !== null && $more <= $moreBound);
        $lines[] = sprintf(
            '| %s | %s | %s | %s | %.*f | %+.0f ns | %s | %s |',
            Measured::text($row, 'work'),
            Measured::text($row, 'peer'),
            Measured::duration($ours),
            Measured::duration($theirs),
            $ratio < 0.1 ? 4 : 2,
            $ratio,
            $more,
            implode(' or ', $goals),
            $isReached ? 'reached' : '**missed**',
        );
    }

    return $lines;
}

[, $source, $page] = [...$argv, '', ''];
$figures = Measured::read($source);
$text = (string) file_get_contents($page);
$begin = strpos($text, BEGIN);
$end = strpos($text, END);
if ($begin === false || $end === false || $end < $begin) {
    fwrite(\STDERR, "dev/figures: $page lacks the lines " . BEGIN . ' and ' . END . "\n");
    exit(1);
}

$about = sprintf('Medians of `%s`, made by `make figures` on %s.', $figures->isComparison() ? './larder compare' : 'dev/figures library', $figures->machine());
$lines = $figures->isComparison() ? comparison($figures->rows) : ratios($figures->rows);
file_put_contents($page, substr($text, 0, $begin) . BEGIN . "\n$about\n\n" . implode("\n", $lines) . "\n" . substr($text, $end));

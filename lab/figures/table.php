<?php

declare(strict_types=1);

/*
 * Writes docs/figures.md from the results in docs/figures. Each result is the output of a command that the page names.
 *
 *     php lab/figures/table.php docs/figures docs/figures.md
 */

use Larder\Lab\Figures\Measured;

require __DIR__ . '/../../vendor/autoload.php';

/** Value and operation of each column of the comparison. */
const COLUMNS = [
    'get 10 bytes' => ['10b', 'get'],
    'get 64 kB' => ['64k', 'get'],
    'get 50 x 50 array' => ['50 x 50 array', 'get'],
    'set 10 bytes' => ['10b', 'set'],
    'set 50 x 50 array' => ['50 x 50 array', 'set'],
];

/** Names of the rows on the page. The files have more rows. */
const ENGINE = [
    'fetch-10', 'fetch-table-php', 'fetch-table-igbinary', 'fetch-table-file', 'fetch-random', 'fetch-first', 'fpm-cold', 'attach', 'store-10', 'store-1024', 'store-65536',
    'store-hashed-65536', 'fill', 'store-table-php', 'fetch-row', 'store-row', 'fetch-dates', 'store-dates', 'worker-1k', 'memory',
];
const LIBRARY = '/^(get-|get-symfony-|(redis|memcached|file)-(get|set)-)(10b|50-x-50-array)$/';

/** @param list<list<string>> $rows */
function table(array $rows): string
{
    $count = count($rows[0]);
    $lines = array_map(static fn(array $row): string => '| ' . implode(' | ', $row) . ' |', $rows);
    array_splice($lines, 1, 0, ['|---|' . str_repeat('---:|', $count - 1)]);

    return implode("\n", $lines) . "\n";
}

/** Three digits: 0.0349, 70.4. */
function microseconds(?float $nanoseconds): string
{
    if ($nanoseconds === null) {
        return 'fails';
    }

    return number_format($nanoseconds / 1000, max(0, 2 - (int) floor(log10($nanoseconds / 1000))), '.', ',');
}

/**
 * A line for each store and connection.
 *
 * @param list<array<mixed>> $rows
 */
function comparison(array $rows): string
{
    $cells = [];
    foreach ($rows as $row) {
        $connection = Measured::text($row, 'connection');
        $settings = array_filter((array) ($row['settings'] ?? []), is_string(...));
        $name = implode(', ', [Measured::text($row, 'store'), ...($connection === '' ? [] : [$connection]), ...array_values($settings)]);
        $cells[$name][Measured::text($row, 'value')][Measured::text($row, 'operation')] = Measured::number($row, 'median');
    }
    uasort($cells, static fn(array $a, array $b): int => ($a['10b']['get'] ?? \INF) <=> ($b['10b']['get'] ?? \INF));
    $lines = [['store', ...array_keys(COLUMNS)]];
    foreach ($cells as $name => $values) {
        $lines[] = [$name, ...array_map(static fn(array $column): string => microseconds($values[$column[0]][$column[1]] ?? null), array_values(COLUMNS))];
    }

    return table($lines);
}

/**
 * Our figures compared with the peer's.
 *
 * @param list<array<mixed>> $rows
 */
function ratios(array $rows): string
{
    $lines = [['what', 'beside', 'Larder', 'the other', 'ratio', 'goal']];
    foreach ($rows as $row) {
        [$ours, $theirs, $ratio, $more] = array_map(static fn(string $key): ?float => Measured::number($row, $key), ['ours', 'theirs', 'ratio', 'more']);
        if ($ours === null || $theirs === null || $ratio === null || $more === null) {
            $lines[] = [Measured::text($row, 'work'), Measured::text($row, 'peer'), 'fails', '', '', ''];
            continue;
        }
        $bound = Measured::number($row, 'bound');
        $moreBound = Measured::number($row, 'more_bound');
        $goals = [...($bound === null ? [] : [(string) round($bound, 4)]), ...($moreBound === null ? [] : [sprintf('+%.0f ns', $moreBound)])];
        $isReached = ($bound !== null && $ratio <= $bound) || ($moreBound !== null && $more <= $moreBound);
        $value = Measured::text($row, 'name') === 'memory' ? static fn(float $bytes): string => round($bytes) . ' bytes' : Measured::duration(...);
        $lines[] = [
            Measured::text($row, 'work'),
            Measured::text($row, 'peer'),
            $value($ours),
            $value($theirs),
            sprintf('%.*f', $ratio < 0.1 ? 4 : 2, $ratio),
            $goals === [] ? '' : implode(' or ', $goals) . ($isReached ? '' : ', **missed**'),
        ];
    }

    return table($lines);
}

/**
 * The cost of a request, as ratios, because microseconds depend on the machine.
 *
 * @param list<array<mixed>> $rows
 */
function requests(array $rows): string
{
    $lines = [['in one request', 'beside', 'ratio', 'files']];
    foreach ($rows as $row) {
        $ratio = Measured::number($row, 'ratio');
        $files = array_map(static fn(mixed $number): int => is_int($number) ? $number : 0, array_values((array) ($row['files'] ?? [])));
        $lines[] = [
            str_replace('open ', '', Measured::text($row, 'work')),
            Measured::text($row, 'peer'),
            $ratio === null ? 'fails' : sprintf('%.2f', $ratio),
            implode(', ', $files),
        ];
    }

    return table($lines);
}

/** Table of the figures that lab/figures/run sessions wrote. */
function sessions(string $file): string
{
    $lines = [['sessions in', 'ten of one', 'longest wait', 'out of order', 'updates lost', 'requests failed', 'alone, of files']];
    foreach (array_slice((array) file($file, \FILE_IGNORE_NEW_LINES), 1) as $json) {
        $row = (array) json_decode((string) $json, true);
        $number = static fn(string $key): float => Measured::number($row, $key) ?? 0.0;
        $lines[] = [
            Measured::text($row, 'handler'),
            sprintf('%.0f ms', $number('one_session_ms')),
            sprintf('%.0f ms', $number('longest_wait_ms')),
            sprintf('%.0f %%', $number('out_of_order_percent')),
            sprintf('%.0f', $number('lost')),
            sprintf('%.0f', $number('failed')),
            sprintf('%.2f', $number('alone_of_files')),
        ];
    }

    return table($lines);
}

/** Sentence with the figures that lab/figures/run contention wrote. */
function contention(string $file): string
{
    $ratios = [];
    foreach (array_slice((array) file($file, \FILE_IGNORE_NEW_LINES), 1) as $json) {
        $row = (array) json_decode((string) $json, true);
        $ratios[Measured::text($row, 'work')][] = Measured::number($row, 'ratio') ?? 0.0;
    }
    $range = static fn(string $work): string => isset($ratios[$work]) ? sprintf('%.1f to %.1f', min($ratios[$work]), max($ratios[$work])) : '?';

    return sprintf('Two to sixteen processes on one key, with room and full: counts are %s times as many a second as with APCu, stores %s times (`make figures ARGS=contention`).', $range('count'), $range('store'));
}

/**
 * Requests a second of one worker, and the time of a request with Larder relative to that before.
 *
 * @param list<array<mixed>> $rows
 */
function pages(array $rows): string
{
    $lines = [['requests a second', 'before', 'with Larder', 'time, relative']];
    foreach ($rows as $row) {
        [$theirs, $ratio, $low, $high] = array_map(static fn(string $key): float => Measured::number($row, $key) ?? \NAN, ['theirs', 'ratio', 'low', 'high']);
        $peer = Measured::text($row, 'peer');
        $lines[] = [
            Measured::text($row, 'work'),
            number_format(1e9 / $theirs) . ($peer === 'APCu' ? ' with APCu' : ' without a cache'),
            number_format(1e9 / ($theirs * $ratio)), // a slow phase shifts the median of one side, not that of the pairs
            vsprintf('%s (%s to %s)', array_map(static fn(float $number): string => number_format($number, $ratio < 0.1 ? 3 : 2), [$ratio, $low, $high])),
        ];
    }

    return table($lines);
}

/**
 * A line for each value. A value has three rows: <name>-bytes, <name>-compact and <name>-store.
 *
 * @param list<array<mixed>> $rows
 */
function memory(array $rows): string
{
    $lines = [];
    foreach ($rows as $row) {
        $bytes = array_map(static fn(string $side): string => number_format(Measured::number($row, $side) ?? \NAN), ['ours', 'theirs']);
        $value = Measured::text($row, 'work');
        $cells = str_ends_with(Measured::text($row, 'name'), '-store') ? [sprintf('%.2f', Measured::number($row, 'ratio'))] : $bytes;
        $lines[$value] = [...$lines[$value] ?? [$value], ...$cells];
    }

    return table([
        ['value', 'Larder', 'APCu', 'Larder, compact', 'APCu, igbinary', 'store'],
        ...array_values($lines),
    ]);
}

/**
 * @return list<list<string>> serializer, compression, bytes, times: from the output of `./larder serializers`, without
 *         signatures
 */
function serializers(string $printed): array
{
    preg_match_all('/^50 x 50 array +(\w+) +(|zlib|zstd|lz4) +([\d,]+) +([\d.]+ [nµm]s) +([\d.]+ [nµm]s)$/mu', $printed, $rows, \PREG_SET_ORDER);

    return array_map(static fn(array $row): array => array_slice($row, 1), $rows);
}

[, $folder, $page] = [...$argv, '', ''];
$compare = Measured::read("$folder/compare.jsonl");
$engine = Measured::read("$folder/engine.jsonl");
$library = Measured::read("$folder/library.jsonl");
$request = Measured::read("$folder/request.jsonl");
$pages = Measured::read("$folder/pages.jsonl");
$memory = Measured::read("$folder/memory.jsonl");
$serializers = (string) file_get_contents("$folder/serializers.txt");
$engineRows = array_values(array_filter($engine->rows, static fn(array $row): bool => in_array(Measured::text($row, 'name'), ENGINE, true)));
$libraryRows = array_values(array_filter($library->rows, static fn(array $row): bool => preg_match(LIBRARY, Measured::text($row, 'name')) === 1));
file_put_contents($page, implode("\n", [
    '# Figures',
    '',
    'After reading this page you know what was measured on one machine. `make figures` writes it, so do not edit it. All rows are in [docs/figures](figures/compare.jsonl).',
    '',
    '```sh',
    'make figures ARGS=engine                               # pages, memory, serializers, compare, library, request, contention, sessions',
    'lab/figures/run measure --rows fetch-10,store-10       # only printed',
    '```',
    '',
    '## Stores',
    '',
    "Microseconds, medians of `./larder compare`, {$compare->machine()}. [How](measure.md#how-it-is-measured).",
    '',
    comparison($compare->rows),
    '`array` is PHP code in one process, so one call into the engine is faster.',
    '',
    '## Whole pages',
    '',
    "One PHP-FPM worker and client, without a web server; both sides in turns. Time is the median ratio of 100 pairs, with its 95 % interval; *with Larder* follows from it. Each read is of 20 product rows; WordPress has [our plugin](../wordpress/readme.txt) more. `make figures ARGS=pages`, {$pages->machine()}.",
    '',
    pages($pages->rows),
    '## One request',
    '',
    "Opening a cache and one call under PHP-FPM, relative to symfony/cache with the same server and kept connections; files that each loads. `make figures ARGS=request`, {$request->machine()}.",
    '',
    requests($request->rows),
    '## The engine',
    '',
    "Medians of `make figures ARGS=engine`, {$engine->machine()}. Larder and its peer alternate in short batches, in a new process with opcache for each row, on a segment of its own. `ratio` is the median of the pairs.",
    '',
    ratios($engineRows),
    contention("$folder/contention.jsonl"),
    '',
    "Arrays in PHP's own shape, which a fetch returns by a pointer, and compact (`larder.compact=1`): bytes, and the time of a store relative to APCu's with its default serializer. `make figures ARGS=memory`, {$memory->machine()}.",
    '',
    memory($memory->rows),
    '## The library',
    '',
    "Medians of `make figures ARGS=library`, {$library->machine()}. The bare client uses the same serializer and no compression, by a socket on one core; for files it is `unserialize(file_get_contents())`, and a renamed temporary file. Larder also checks for hash collisions, stores expiry, and locks against counters. A goal is a ratio or a difference.",
    '',
    ratios($libraryRows),
    '## Sessions',
    '',
    'Ten requests at once, which have a session open for 10 ms each; nine rounds of `make figures ARGS=sessions`, phpredis 5.3.7 and memcached 3.2.0 with their defaults. Of 90 updates and 180 requests; alone is opening and closing, relative to PHP\'s files.',
    '',
    sessions("$folder/sessions.jsonl"),
    '## Serializers',
    '',
    '`./larder serializers` for an array of 50 x 50 numbers: ' . strtok($serializers, "\n") . '. Writes with msgpack and json include a search for what they would change. [All rows](figures/serializers.txt).',
    '',
    table([['serializer', 'with', 'bytes', 'write', 'read'], ...serializers($serializers)]),
    'Next: [measure yours](measure.md).',
    '',
]));

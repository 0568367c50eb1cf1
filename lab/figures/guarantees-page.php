<?php

declare(strict_types=1);

/*
 * Writes GUARANTEES.md from the results of the proofs.
 *
 *     php lab/figures/guarantees-page.php docs/figures/guarantees.jsonl GUARANTEES.md
 *
 * lab/figures/guarantees-run.php writes the results. Each step has one line with its command and machine, followed by
 * the lines of its proofs (see lab/README.md). The page names one proof and one control of each promise. The results
 * have all.
 */

/** Promises, by the prefix of their proofs' names. A promise says no more than its proofs show. */
const PROMISES = [
    'reading' => 'Reading takes no lock: it does not wait for a writer, nor for a process that is stopped.',
    'death' => 'When a process is killed at any moment, the others go on: none hangs, and none reads a torn, foreign or outdated value. The cache keeps nearly all of its entries.',
    'holding' => 'A value that a script has fetched stays unchanged until its request ends, whatever others store, delete, clear or evict.',
    'fullness' => 'A full cache evicts old, unused entries, never nearly all of them. An oversized value is refused quickly, and evicts nothing.',
    'bound' => 'Memory pinned by readers is bounded: half of the pages, an eighth for long-lived processes, plus at most four pages or runs per process.',
    'sharing' => 'PHP-FPM and the command line of one user, with the same PHP API version and segment name, share one cache. It survives a reload and a restart of PHP-FPM.',
    'neighbours' => 'Another user cannot read or change it. A virtual host with a segment name of its own sees only its own segment.',
    'damage' => 'A damaged header, page table, index, entry header or key gives a miss or a new segment, not a crash.',
    'contention' => 'Contention is invisible: no store, add or count fails because others change the same key, are slow, stopped or killed. A counter that was counted within the last minute is not evicted, as long as such counters need at most a quarter of the memory.',
    'fork' => 'After a fork, parent and child keep the values that they hold. Either may die first.',
    'versions' => 'Each PHP API version has a segment of its own. None misreads another\'s.',
    'model' => 'The algorithm is right in every state that its model reaches, and wrong without any one of its parts.',
    'clock' => 'Jumps of the wall clock do not change when entries expire.',
    'reentrance' => 'Code that runs in the middle of a call (destructors, handlers, autoloaders) can use the cache.',
    'leftovers' => 'No byte of a deleted value is visible through the API.',
    'observability' => 'The engine reports how full it is, what it evicts and refuses and why, and which process pins how much.',
    'objects' => 'A graph of objects is fetched as `unserialize()` would create it: with its values and references, and by the same calls of its methods. Where that throws, the fetch is a miss.',
    'workers' => 'A worker that never ends a request keeps the values that it uses, releases the others, and does not grow.',
    'threads' => 'In a thread-safe PHP (ZTS), a value that a thread holds stays unchanged whatever others do. A thread that ends leaves nothing behind, any may fork, and a process with threads can be killed at any moment.',
];

/** The proof that the page names, if a promise has several. */
const NAMED = [
    'reading' => 'hot-key', 'death' => 'storm', 'holding' => 'overwritten', 'fullness' => 'wipe', 'bound' => 'every-key', 'neighbours' => 'requests', 'damage' => 'random',
    'contention' => 'counting', 'fork' => 'storm', 'versions' => 'side-by-side', 'model' => 'pins', 'reentrance' => 'hooks', 'threads' => 'kills',
];

const NOT_MEASURED = 'not measured';

function stop(string $message): never
{
    fwrite(\STDERR, "lab/figures/run: $message\n");
    exit(1);
}

/** @param array<mixed> $line */
function text(array $line, string $key): string
{
    return is_scalar($line[$key] ?? null) ? (string) $line[$key] : '';
}

/** @param array<mixed> $line */
function number(array $line, string $key): int
{
    return is_int($line[$key] ?? null) ? $line[$key] : stop("a result lacks its \"$key\": " . json_encode($line));
}

/** @return list<array<mixed>> the lines of the file, each with the line of its step as "from" */
function results(string $file): array
{
    $lines = @file($file, \FILE_IGNORE_NEW_LINES | \FILE_SKIP_EMPTY_LINES);
    if ($lines === false) {
        stop("$file does not exist; lab/figures/run guarantees writes it.");
    }
    $results = [];
    $step = [];
    foreach ($lines as $number => $json) {
        $line = json_decode($json, true);
        if (!is_array($line)) {
            stop("$file, line " . ($number + 1) . ' is not a JSON object.');
        }
        if (isset($line['step'])) {
            $step = $line;
        }
        $results[] = $line + ['from' => $step];
    }

    return $results;
}

function area(string $proof): string
{
    return explode('.', $proof)[0];
}

/**
 * Merges two records of one proof that count different tries.
 *
 * @param array<mixed> $one
 * @param array<mixed> $other
 * @return array<mixed>
 */
function together(array $one, array $other): array
{
    $figures = is_array($one['figures'] ?? null) ? $one['figures'] : [];
    foreach (is_array($other['figures'] ?? null) ? $other['figures'] : [] as $name => $figure) {
        $figures[$name] = isset($figures[$name]) ? text($figures, (string) $name) . '; ' . (is_scalar($figure) ? $figure : '') : $figure;
    }

    return [
        ...$one,
        'tried' => number($one, 'tried') + number($other, 'tried'),
        'failed' => number($one, 'failed') + number($other, 'failed'),
        'figures' => $figures,
    ];
}

/** The rule of three: if an event happened in none of N tries, its rate is below 3 of N, with 95 % confidence. */
function bound(int $tried): string
{
    if ($tried <= 3) {
        return 'too few tries';
    }
    $percent = 300 / $tried;
    $decimals = max(0, 1 - (int) floor(log10($percent)));

    return number_format($percent, $decimals, '.', '') . ' %';
}

/** @param array<mixed> $proof */
function tries(array $proof): string
{
    return number_format(number($proof, 'tried')) . ' ' . text($proof, 'unit');
}

/** @param list<array<mixed>> $proofs */
function failures(array $proofs): string
{
    $failed = array_sum(array_map(static fn(array $proof): int => number($proof, 'failed'), $proofs));

    return $failed === 0 ? '0' : "**$failed**";
}

/** The fault, without the test's result. */
function control(string $text): string
{
    return (string) preg_replace(['/^core with a line changed: /', '/ \(.*\)$/'], '', $text);
}

function more(int $count, string $what): string
{
    return match ($count) {
        0 => '',
        1 => "; 1 more $what",
        default => "; $count more {$what}s",
    };
}

/**
 * @param list<array<mixed>> $proofs
 * @param array<string, array<string, array<mixed>>> $controls by their texts
 */
function row(string $area, array $proofs, array $controls): string
{
    if ($proofs === []) {
        return NOT_MEASURED . ' | | ';
    }
    $named = array_values(array_filter($proofs, static fn(array $proof): bool => text($proof, 'proof') === $area . '.' . (NAMED[$area] ?? '')))[0] ?? $proofs[0];
    $all = ($named['all'] ?? false) === true;
    $of = array_keys($controls[text($named, 'proof')] ?? []);
    $count = array_sum(array_map(static fn(array $proof): int => count($controls[text($proof, 'proof')] ?? []), $proofs));

    return tries($named) . ($all ? ', which are all' : '') . more(count($proofs) - 1, 'proof') . ' | ' . failures($proofs)
        . ($all || failures($proofs) !== '0' ? '' : ' (< ' . bound(number($named, 'tried')) . ')')
        . ' | ' . ($of === [] ? NOT_MEASURED : control($of[0]) . more($count - 1, 'control'));
}

/**
 * @param list<array<mixed>> $steps
 * @return list<string> the distinct values of the key
 */
function words(array $steps, string $key): array
{
    return array_values(array_unique(array_map(static fn(array $step): string => text($step, $key), $steps)));
}

[, $source, $page] = [...$argv, null, null];
if ($source === null || $page === null) {
    stop('name the file of results and the page to write.');
}
$results = results($source);
$steps = array_values(array_filter($results, static fn(array $line): bool => isset($line['step'])));
$proofs = $controls = [];
foreach ($results as $line) {
    $name = text($line, 'proof');
    if ($name === '') {
        continue;
    }
    if (!isset(PROMISES[area($name)])) {
        stop("the proof $name belongs to no promise.");
    }
    if (isset($line['control'])) {
        $what = text($line, 'control');
        $known = $controls[$name][$what] ?? ['tried' => 0, 'failed' => 0];
        $controls[$name][$what] = ['tried' => number($known, 'tried') + number($line, 'tried'), 'failed' => number($known, 'failed') + number($line, 'failed')] + $line;
    } else {
        $known = $proofs[area($name)][$name] ?? null;
        $proofs[area($name)][$name] = $known === null ? $line : together($known, $line);
    }
}

$dates = words($steps, 'date');
sort($dates);
$lines = [
    '# Guarantees',
    '',
    'After reading this page you know what the engine promises, and how hard its tests tried to break that. `make figures ARGS=guarantees` runs them and writes it; do not edit it.',
    '',
    'No test shows that something never happens. After N tries without a failure, fewer than 3 of N fail, at a confidence of 95 %, if the tries resemble real use: that is the figure in parentheses. A **control** is the same test on a build with one deliberate fault, or on another cache: it has to fail, or the test shows nothing. [All proofs and controls](docs/figures/guarantees.jsonl), with commands, seeds and what was measured besides; [how they are run](lab/README.md#proofs).',
    '',
    '| | promise | what tries to break it | failures | control: with this, it fails |',
    '|---|---|---|---|---|',
];
$number = 0;
foreach (PROMISES as $area => $promise) {
    ++$number;
    $lines[] = "| $number | $promise | " . row($area, array_values($proofs[$area] ?? []), $controls) . ' |';
}
$short = count(array_filter($steps, static fn(array $step): bool => ($step['long'] ?? false) !== true));
$without = array_diff(array_merge(...array_map(array_keys(...), array_values($proofs))), array_keys($controls));
array_push(
    $lines,
    '',
    sprintf(
        'Measured from %s to %s, PHP %s, %s, %s, %s cores, commits %s.%s',
        $dates[0] ?? NOT_MEASURED,
        $dates[count($dates) - 1] ?? NOT_MEASURED,
        ...array_map(static fn(string $key): string => implode(', ', words($steps, $key)), ['php', 'kernel', 'processor', 'cores', 'commit']),
        ...[$short === 0 ? '' : " $short of " . count($steps) . ' steps ran in their short version.'],
    ),
    '',
    'Without a control of their own: ' . ($without === [] ? 'none' : implode(', ', $without)) . '.',
);
foreach ($steps as $step) {
    if (number($step, 'exit') !== 0) {
        array_push($lines, '', '**Failed:** `' . text($step, 'command') . '`');
    }
}
file_put_contents($page, implode("\n", $lines) . "\n");

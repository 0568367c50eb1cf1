<?php

declare(strict_types=1);

/*
 * Writes the page of the guarantees from what the proofs told.
 *
 *     php dev/guarantees-page.php results.jsonl GUARANTEES.md
 *
 * The results are what dev/guarantees-run.php keeps: for each step a line with what was run and where, and after it
 * the lines that its proofs wrote (docs/tests.md describes them). Whatever no line tells is "not measured".
 */

/** By the area that the names of their proofs begin with. */
const PROMISES = [
    'reading' => '1. Reading never waits for anybody: not for a writer, not for a stopped process, not for a dead one. A key that is there all the time is found, however fast others store it.',
    'death' => '2. A process can be killed at any instruction. Nothing hangs, no wrong value is ever returned, the cache stays warm, at most the one value being written is lost.',
    'contention' => 'Contention is not visible: no store, add or count is refused, lost or undone because others change the same key, are slow, stopped or killed. A counter that was counted within the last minute is not evicted, while what is kept for that alone is at most a quarter of the memory.',
    'holding' => '3. A value in the hands of a script never changes and never goes away before its request ends, whatever others store, delete, clear or evict meanwhile.',
    'fullness' => '4. Full means evict a little, never wipe. One oversized store is refused at once and costs the others nothing.',
    'bound' => '5. Memory that readers keep from being reused is bounded, whatever they do and however long they live: half the pages, of which long-lived processes an eighth, plus at most four pages or runs for each process.',
    'sharing' => '6. FPM workers, the command line and cron of one user see the same cache. It survives an FPM reload and restart.',
    'neighbours' => '7. Another user, or another pool with its own segment name, sees nothing of it. The root FPM master never maps it.',
    'damage' => '8. A damaged header, page table, index, entry header or key gives a miss or a fresh segment, never a crash.',
    'fork' => 'After a fork, parent and child go on with what they hold; either may die first.',
    'versions' => 'Each version of PHP has a segment of its own; none misreads another\'s.',
    'model' => 'The algorithm is right in every state that a model of it reaches, and wrong with any part left out.',
    'clock' => 'Jumps of the wall clock change no expiry.',
    'reentrance' => 'Whatever calls the cache back from within a call finds it usable.',
    'leftovers' => 'No byte of a deleted value is ever visible through the API.',
    'observability' => 'The engine says how full it is, what it evicts and refuses and why, and who holds how much.',
];

/** Of one proof; more stand in a section of their own. */
const CONTROLS_IN_A_ROW = 2;

const NOT_MEASURED = 'not measured';

function stop(string $message): never
{
    fwrite(\STDERR, "dev/figures: $message\n");
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

/** @return list<array<mixed>> the lines of the file, each with the step before it as "from" */
function results(string $file): array
{
    $lines = @file($file, \FILE_IGNORE_NEW_LINES | \FILE_SKIP_EMPTY_LINES);
    if ($lines === false) {
        stop("$file is not there; dev/figures guarantees makes it.");
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

function cell(string $text): string
{
    return str_replace(['|', "\n"], ['\|', ' '], $text);
}

/**
 * One proof that told its figures several times, each time of other tries.
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

/** The rule of three: what happened in none of N tries happens, at 95 %, in fewer than 3 of N. */
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
function outcome(array $proof): string
{
    $failed = number($proof, 'failed');
    $words = [$failed === 0 ? 'none failed' : "**$failed failed**"];
    foreach (is_array($proof['figures'] ?? null) ? $proof['figures'] : [] as $name => $figure) {
        $words[] = "$name: " . (is_scalar($figure) ? (string) $figure : '');
    }
    if (isset($proof['seed'])) {
        $words[] = 'seed ' . text($proof, 'seed');
    }

    return implode('<br>', array_map(cell(...), $words));
}

/** @param array<mixed> $control */
function control(array $control): string
{
    return cell(text($control, 'control')) . ': ' . number_format(number($control, 'failed')) . ' of '
        . number_format(number($control, 'tried')) . ' failed';
}

/** @param list<array<mixed>> $controls */
function controls(string $proof, array $controls): string
{
    return match (true) {
        $controls === [] => NOT_MEASURED,
        count($controls) > CONTROLS_IN_A_ROW => count($controls) . ' controls, each failed: see below',
        default => implode('<br>', array_map(control(...), $controls)),
    };
}

/**
 * @param array<mixed> $proof
 * @param list<array<mixed>> $controls
 */
function row(string $promise, array $proof, array $controls): string
{
    $name = text($proof, 'proof');
    $failed = number($proof, 'failed');
    $tried = number($proof, 'tried');
    $step = is_array($proof['from']) ? $proof['from'] : [];
    $bound = match (true) {
        $failed > 0 => 'broken',
        ($proof['all'] ?? false) === true => 'all there are',
        default => bound($tried),
    };

    return "| $promise | $name<br>`" . text($step, 'command') . '` | ' . number_format($tried) . ' ' . cell(text($proof, 'unit'))
        . ' | ' . outcome($proof) . " | $bound | " . controls($name, $controls) . ' |';
}

/**
 * @param list<array<mixed>> $steps
 * @return list<string> the different words that they have under the key
 */
function words(array $steps, string $key): array
{
    return array_values(array_unique(array_map(static fn(array $step): string => text($step, $key), $steps)));
}

[, $source, $page] = [...$argv, null, null];
if ($source === null || $page === null) {
    stop('which results, and into which page?');
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
        $controls[$name][] = $line;
    } else {
        $known = $proofs[area($name)][$name] ?? null;
        $proofs[area($name)][$name] = $known === null ? $line : together($known, $line);
    }
}

$dates = words($steps, 'date');
sort($dates);
$short = count(array_filter($steps, static fn(array $step): bool => ($step['long'] ?? false) !== true));
$lines = [
    '# Guarantees',
    '',
    'What the engine promises, and how often each promise was tried. `make figures ARGS=guarantees` runs the proofs and writes this page, never a hand; every row names the command that tries it again.',
    '',
    sprintf(
        '%s; commit %s; PHP %s; %s; %s; %s cores.',
        implode(' to ', array_unique([$dates[0] ?? NOT_MEASURED, $dates[count($dates) - 1] ?? NOT_MEASURED])),
        implode(', ', words($steps, 'commit')),
        implode(', ', words($steps, 'php')),
        implode(', ', words($steps, 'kernel')),
        implode(', ', words($steps, 'processor')),
        implode(', ', words($steps, 'cores')),
    ) . ($short > 0 ? " $short of " . count($steps) . ' steps in their short versions.' : '') . ' Seeds stand in the rows of what draws at random; the other proofs draw nothing.',
    '',
    'No test shows that something never happens. The fifth column says what follows from tries of which none failed: at 95 %, fewer than 3 of N fail (the rule of three), if the tries are like what a site does. A **control** is the same test on a build that is broken in one place, or on APCu or Yac; a test that cannot fail shows nothing.',
    '',
];
foreach ($steps as $step) {
    if (number($step, 'exit') !== 0) {
        $lines[] = '**Did not pass:** `' . text($step, 'command') . "`\n";
    }
}
array_push($lines, '| promise | test | tried | result | rate of failures below | control, and how it failed |', '|---|---|---|---|---|---|');
$sections = [];
foreach (PROMISES as $area => $promise) {
    if (!isset($proofs[$area])) {
        $lines[] = "| **$promise** | | " . NOT_MEASURED . ' | | | |';
    }
    foreach ($proofs[$area] ?? [] as $name => $proof) {
        $of = $controls[$name] ?? [];
        $lines[] = row($promise === '' ? '' : "**$promise**", $proof, $of);
        $promise = '';
        if (count($of) > CONTROLS_IN_A_ROW) {
            $sections[] = "\n$name:\n\n- " . implode("\n- ", array_map(control(...), $of));
        }
    }
}
if ($sections !== []) {
    array_push($lines, '', '## Controls', '', 'For a model, tried is the number of states until a wrong one was found.', ...$sections);
}
file_put_contents($page, implode("\n", $lines) . "\n");

<?php

declare(strict_types=1);

/*
 * Runs the proofs and keeps their results.
 *
 *     php lab/figures/guarantees-run.php [--short] results.jsonl [step…]
 *
 * A step is a command whose tests append lines to the file that LARDER_PROOF_RESULTS names. The results have a line for
 * each step, then the lines of its proofs. Steps that are not run keep their earlier lines.
 */

use Symfony\Component\Process\Process;

require __DIR__ . '/../../vendor/autoload.php';

const LOGS = 'var/guarantees';

/**
 * Time limit of one step, in seconds. The graphs under sanitizers take 6 minutes of processor time, and took 79 minutes
 * on a busy machine.
 */
const LIMIT = 7_200;

/** Seconds between two progress messages. */
const SIGN_EVERY = 20;

function say(string $words): void
{
    echo $words, "\n";
}

/** @return array<string, string> commands by the names of their steps; the ones that fail quickly come first */
function steps(bool $long): array
{
    $core = 'make -C extension/core-tests ';
    $short = $long ? '' : '-short';
    $environment = $long ? 'LARDER_PROOF=long ' : '';
    $steps = [
        'model' => "{$core}model$short",
        'unit' => "$environment{$core}unit",
        'mutants' => "{$core}mutants ONLY=--controls",
        'storm' => "{$core}storm$short",
        'fuzz' => "{$core}fuzz$short",
    ];
    foreach ((array) glob('tests/Engine/*Test.php') as $file) {
        if (!str_contains((string) file_get_contents((string) $file), "#[Group('proof')]")) {
            continue;
        }
        $name = basename((string) $file, '.php');
        $steps[$name] = $environment . match ($name) {
            'VersionsTest' => 'lab/versions/prove', // runs the test where another PHP exists
            default => "dev/checks/phpunit engine --filter {$name}::",
        };
    }
    $steps['sanitizers'] = 'lab/sanitizers/prove' . ($long ? '' : ' 3000');
    $steps['workers'] = 'lab/workers/prove' . ($long ? ' 50000' : ' 5000');
    $steps['threads'] = "{$environment}lab/zts/prove 8.2";
    $steps['threads-8.4'] = "{$environment}lab/zts/prove 8.4";
    $steps['php-src'] = 'lab/php-src/prove' . ($long ? '' : ' --short');

    return $steps;
}

/** @return array<string, list<string>> existing lines by the names of their steps; the step's own line is the first */
function kept(string $file): array
{
    $kept = [];
    $step = '';
    foreach (is_file($file) ? (array) file($file, \FILE_IGNORE_NEW_LINES | \FILE_SKIP_EMPTY_LINES) : [] as $json) {
        $line = json_decode((string) $json, true);
        $step = is_array($line) && is_string($line['step'] ?? null) ? $line['step'] : $step;
        $kept[$step][] = (string) $json;
    }

    return $kept;
}

/**
 * @param list<string> $lines lines of a step
 * @return int|null duration of the last run; null if the step never ran in this version, long or short
 */
function seconds(array $lines, bool $long): ?int
{
    $line = json_decode($lines[0] ?? '', true);

    return is_array($line) && ($line['long'] ?? null) === $long && is_int($line['seconds'] ?? null) ? $line['seconds'] : null;
}

/** @return array<string, mixed> the machine and the software of the run */
function surroundings(): array
{
    $said = static fn(string $command): string => trim(Process::fromShellCommandline($command)->mustRun()->getOutput());
    $changed = $said('git status --porcelain --untracked-files=no -- . ":!GUARANTEES.md" ":!docs/figures"') !== '';

    return [
        'date' => gmdate('Y-m-d H:i') . ' UTC',
        'commit' => $said('git rev-parse --short HEAD') . ($changed ? ' with changes' : ''),
        'php' => \PHP_VERSION,
        'kernel' => php_uname('s') . ' ' . php_uname('r') . ' ' . php_uname('m'),
        'processor' => $said('sed -n "s/^model name[^:]*: //p" /proc/cpuinfo | sed -n 1p'),
        'cores' => (int) $said('nproc'),
    ];
}

/** @return array{int, list<string>} exit code, and the lines that the step's proofs wrote */
function run(string $name, string $command, bool $long): array
{
    $file = (string) tempnam(sys_get_temp_dir(), 'larder-proof-');
    $process = new Process(
        ['timeout', '--kill-after=20', (string) LIMIT, 'sh', '-c', $command],
        null,
        ['LARDER_PROOF' => $long ? 'long' : '', 'LARDER_PROOF_RESULTS' => $file],
        null,
        null,
    );
    $log = fopen(LOGS . "/$name.log", 'w');
    assert($log !== false);
    $started = $sign = time();
    $process->start(static function (string $type, string $bytes) use ($log): void {
        fwrite($log, $bytes);
    });
    while ($process->isRunning()) {
        usleep(100_000);
        if (time() >= $sign + SIGN_EVERY) {
            $sign = time();
            say('        ' . ($sign - $started) . ' s');
        }
    }
    fclose($log);
    $lines = (array) file($file, \FILE_IGNORE_NEW_LINES | \FILE_SKIP_EMPTY_LINES);
    unlink($file);

    return [(int) $process->getExitCode(), array_map(strval(...), $lines)];
}

$long = !in_array('--short', $argv, true);
$arguments = array_values(array_filter(array_slice($argv, 1), static fn(string $word): bool => $word !== '--short'));
$file = array_shift($arguments);
$steps = steps($long);
$unknown = array_diff($arguments, array_keys($steps));
if ($file === null || $unknown !== []) {
    fwrite(\STDERR, 'lab/figures/run: ' . ($file === null ? 'name the file of results' : 'unknown step ' . implode(', ', $unknown))
        . '. Known: ' . implode(' ', array_keys($steps)) . ".\n");
    exit(2);
}
@mkdir(LOGS, 0777, true);
$wanted = $arguments === [] ? $steps : array_intersect_key($steps, array_flip($arguments));
$kept = array_intersect_key(kept($file), $steps);
$failed = [];
foreach (array_keys($wanted) as $index => $name) {
    $left = array_map(static fn(string $step): ?int => seconds($kept[$step] ?? [], $long), array_slice(array_keys($wanted), $index));
    $new = count(array_keys($left, null, true));
    say(sprintf(
        '-- [%d/%d] %s; left: %d s if all take as long as before%s',
        $index + 1,
        count($wanted),
        $wanted[$name],
        array_sum($left),
        $new > 0 ? ", and $new steps for the first time" : '',
    ));
    $started = time();
    $about = surroundings();
    [$exit, $lines] = run($name, $wanted[$name], $long);
    $step = ['step' => $name, 'command' => $wanted[$name], 'long' => $long, ...$about, 'seconds' => time() - $started, 'exit' => $exit];
    $kept[$name] = [json_encode($step, \JSON_THROW_ON_ERROR | \JSON_UNESCAPED_SLASHES | \JSON_UNESCAPED_UNICODE), ...$lines];
    if ($exit !== 0) {
        $failed[] = $name;
        say('   did not pass: see ' . LOGS . "/$name.log");
    }
    // after each step, so that an interruption loses nothing
    $ordered = [];
    foreach (array_keys($steps) as $step) {
        array_push($ordered, ...$kept[$step] ?? []);
    }
    file_put_contents($file, implode("\n", $ordered) . "\n");
}
exit($failed === [] ? 0 : 1);

<?php

declare(strict_types=1);

/**
 * Makes settings of PHP without what slows its code down or watches it: debuggers, profilers, coverage, assertions. Prints
 * what a shell has to run so that all PHPs that it starts have them, whatever their SAPI; nothing where there is nothing
 * to leave out.
 *
 *     eval "$(php dev/php-settings.php FOLDER)"
 *
 * The system's own files stay as they are. Copies of them, less the lines that load these extensions, lie in a folder in
 * FOLDER, which is named by what they say: runs at the same time do not disturb each other.
 */

const SPOILERS = [
    'apm', 'blackfire', 'datadog-profiling', 'ddappsec', 'ddtrace', 'elastic_apm', 'excimer', 'memprof', 'newrelic',
    'opentelemetry', 'pcov', 'scoutapm', 'spx', 'tideways', 'tideways_xhprof', 'uopz', 'vld', 'xdebug', 'xhprof',
];
/** Names that PHP's own SAPIs call themselves by in names of ini files, and Debian's folders for them. */
const SAPIS = ['cli' => 'cli', 'cli-server' => 'cli', 'fpm-fcgi' => 'fpm', 'cgi-fcgi' => 'cgi'];
/** Stands last in the folder that PHP looks through. */
const OURS = "zend.assertions = -1\nauto_prepend_file =\nauto_append_file =\n";

/** The text of an ini file without the lines that load what spoils. */
function without_spoilers(string $file): string
{
    $names = implode('|', array_map(preg_quote(...), SPOILERS));

    return (string) preg_replace(
        "~^[ \\t]*(zend_)?extension[ \\t]*=[ \\t]*[\"']?([^\"'\\r\\n;]*/)?($names)(-[\\w.]+)?(\\.so)?[\"']?[ \\t]*(;.*)?\\r?$~mi",
        '; left out: $3',
        (string) @file_get_contents($file),
    );
}

function is_spoiled(string $file): bool
{
    return without_spoilers($file) !== (string) @file_get_contents($file);
}

/** What Debian has in the same place for another SAPI. */
function of_sapi(string $path, string $folder): string
{
    return str_replace('/cli/', "/$folder/", $path);
}

$folder = rtrim($argv[1] ?? '', '/');
if ($folder === '') {
    fwrite(STDERR, "usage: php dev/php-settings.php FOLDER\n");
    exit(2);
}
$main = (string) php_ini_loaded_file();
$files = array_filter(array_map(trim(...), explode(',', (string) php_ini_scanned_files())));

$spoiled = array_intersect(array_map(strtolower(...), get_loaded_extensions()), SPOILERS) !== []
    || ini_get('zend.assertions') === '1' || ini_get('auto_prepend_file') !== '' || ini_get('auto_append_file') !== '';
$copies = [];
foreach (SAPIS as $name => $directory) {
    $its = of_sapi($main, $directory);
    $scanned = array_unique(array_map(static fn(string $file): string => dirname(of_sapi($file, $directory)), $files));
    foreach ($scanned as $place) {
        $spoiled = $spoiled || array_filter(glob("$place/*.ini") ?: [], is_spoiled(...)) !== [];
    }
    // A file that PHPRC names is that of every SAPI.
    if ($main !== '' && (is_spoiled($its) || getenv('PHPRC') !== false)) {
        $spoiled = $spoiled || is_spoiled($its);
        $copies["php-$name.ini"] = without_spoilers($its);
    }
}
if (!$spoiled) {
    exit(0);
}
foreach ($files as $index => $file) {
    $copies[sprintf('scanned/%04d-%s', $index, basename($file))] = without_spoilers($file);
}
$copies['scanned/zz-ours.ini'] = OURS;

$place = $folder . '/' . substr(hash('sha256', serialize($copies)), 0, 16);
if (!is_dir($place)) {
    umask(022); // other users of the tests read them
    $new = "$place.new-" . getmypid();
    mkdir("$new/scanned", recursive: true);
    foreach ($copies as $name => $text) {
        file_put_contents("$new/$name", $text);
    }
    if (!@rename($new, $place)) { // somebody else has made the same meanwhile
        array_map(unlink(...), array_map(static fn(string $name): string => "$new/$name", array_keys($copies)));
        array_map(rmdir(...), ["$new/scanned", $new]);
    }
}
printf("export PHP_INI_SCAN_DIR=%s\n", escapeshellarg(realpath($place) . '/scanned'));
if (glob("$place/php-*.ini") !== []) {
    printf("export PHPRC=%s\n", escapeshellarg((string) realpath($place)));
}

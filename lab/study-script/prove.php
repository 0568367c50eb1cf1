<?php

/*
 * Checks the output of the 2013 study's test script, see lab/study-script/prove. Prints the reason and fails if the
 * output is not as expected.
 *
 *     php lab/study-script/prove.php FILE STORE    checks the times of a store
 *     php lab/study-script/prove.php FILE          checks the rest: there is no other message
 */

declare(strict_types=1);

namespace Larder\Lab\ProveStudyScript;

/** Sizes of the script's values: the bytes of its strings, and the elements of its array. */
const STORED = 'stored: 10 100 300 500 1000 2000 4000 8000 16000 32000 64000 128000 4';
/** Largest rounding error of a number with three decimals. */
const ROUNDING = 0.0005;

/** @return list<float> */
function numbers(string $words): array
{
    return array_map(static fn(string $word): float => (float) strtr($word, [',' => '']), explode(' ', trim($words)));
}

function fail(string $why): never
{
    echo $why, "\n";
    exit(1);
}

// Deprecations of PHP 8: shmop_close() has no effect there, and the extension memcache creates a dynamic property.
$said = (string) preg_replace('/\nDeprecated: (?:Function shmop_close\(\)|Creation of dynamic property Memcache::\$connection) is deprecated in \S+ on line \d+\n/', '', (string) file_get_contents($argv[1]));
// Memcached does not accept the script's form of its socket, so 13 values are wrong, each with a warning.
$said = (string) preg_replace_callback('/^(memcached socket\n<hr>)(.*?)(?=^Total)/ms', static function (array $found): string {
    $times = (string) preg_replace('/\nWarning: assert\(\): assert\(.+\) failed in \S+ on line \d+\n/', '', $found[2], count: $wrong);

    return $found[1] . ($wrong === 13 ? $times : $found[2]);
}, $said);
$number = '[\d,]+\.\d{3}';
if (isset($argv[2])) {
    if (preg_match("/^$argv[2]\\n<hr>((?:$number ){13})\\nTotal: ($number), Avg: ($number)\\n/m", $said, $found) !== 1) {
        fail("$argv[2] is missing:\n$said");
    }
    [$times, [$sum], [$mean]] = array_map(numbers(...), \array_slice($found, 1));
    if (abs(array_sum($times) - $sum) > 14 * ROUNDING + 1e-9 || abs($sum / 13 - $mean) > 2 * ROUNDING) {
        fail("$argv[2]: the sum or the mean is wrong: $found[0]");
    }
    exit;
}
$rest = trim((string) preg_replace("/^[a-z ]+\\n<hr>(?:$number ){13}\\nTotal: $number, Avg: $number\\n\\n/m", '', $said, count: $stores));
if ($stores !== 10 || $rest !== STORED) {
    fail("$stores stores, and other output:\n$rest");
}

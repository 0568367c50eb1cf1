--TEST--
Without a cache every function behaves like an empty one, and one log line says why
--FILE--
<?php
require __DIR__ . '/../support.inc';
own_cache();

$try = <<<'CODE'
    var_dump(larder_fetch('k', 'default'), larder_fetch_if('k', 'guard', 'default'), larder_fetch_multiple(['a', 'b'], 0), larder_store('k', 1), larder_store_multiple(['k' => 1]) === ['k' => LARDER_ERROR_UNAVAILABLE]);
    var_dump(larder_add('k', 1), larder_replace('k', 1), larder_delete('k'), larder_delete_multiple(['k']) === ['k'], larder_exists('k'));
    var_dump(larder_touch('k', 1), larder_increment('k'), larder_decrement('k'), larder_cas('k', 1, 2), larder_clear());
    var_dump(larder_fetch_cas('k', 'default', $cas), $cas, larder_store_cas('k', 1, 2));
    var_dump(larder_add_multiple(['k' => 1]) === ['k' => LARDER_ERROR_UNAVAILABLE], larder_exists_multiple(['k']) === ['k' => false], larder_key_info('k'), larder_peek('k'), larder_delete_prefix('k'));
    var_dump(iterator_to_array(new LarderIterator()) === [], larder_predict() === [], larder_last_error() === LARDER_ERROR_UNAVAILABLE, str_contains(larder_last_error_msg(), larder_info()['reason']));
    ['available' => $available, 'reason' => $reason, 'segment' => $segment, 'user' => $user] = larder_info();
    var_dump($available, $reason !== '', is_int($user));
    CODE;
$expected = null;
foreach ([
    'off' => ['larder.enabled' => 0],
    'no directory' => ['larder.path' => '/no/such/directory'],
    'no absolute path' => ['larder.path' => 'dev/shm'],
    'segment' => ['larder.segment' => '../other'],
    'empty segment' => ['larder.segment' => ''],
] as $name => $settings) {
    $said = other_process($try, $settings + ['larder.segment' => 'of-its-own']);
    // the line for the log comes first, where the command line shows it
    $lines = preg_grep('/larder: /', explode("\n", $said));
    $rest = preg_replace('/^.*larder: .*\n/m', '', $said);
    $expected ??= $rest;
    echo "$name: ", count($lines), $rest === $expected ? ' line, as expected' : " line, but\n$rest", "\n";
    echo '  ', trim(other_process('ini_set("error_log", "/dev/null"); echo larder_info()["reason"];', $settings)), "\n";
}
echo $expected;
?>
--EXPECTF--
off: 0 line, as expected
  larder.enabled is off
no directory: 1 line, as expected
  %S/no/such/directory%S
no absolute path: 1 line, as expected
  %Slarder.path%S
segment: 1 line, as expected
  %Slarder.segment%S
empty segment: 1 line, as expected
  %Slarder.segment%S
string(7) "default"
string(7) "default"
array(2) {
  ["a"]=>
  int(0)
  ["b"]=>
  int(0)
}
bool(false)
bool(true)
bool(false)
bool(false)
bool(false)
bool(true)
bool(false)
bool(false)
bool(false)
bool(false)
bool(false)
bool(false)
string(7) "default"
NULL
bool(false)
bool(true)
bool(true)
NULL
NULL
int(0)
bool(true)
bool(true)
bool(true)
bool(true)
bool(false)
bool(true)
bool(true)

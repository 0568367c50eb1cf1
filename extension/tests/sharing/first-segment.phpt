--TEST--
A process that found no segment deletes at once what others store, and reads it within 10 ms
--FILE--
<?php
require __DIR__ . '/../support.inc';
own_cache();

$ways = [
    'fetch' => 'larder_fetch("key") === 1',
    'exists' => 'larder_exists("key")',
    'delete' => 'larder_delete("key")',
    'delete-multiple' => 'larder_delete_multiple(["key"]) === []',
    'delete-prefix' => 'larder_delete_prefix("k") === 1',
    'clear' => 'larder_clear()',
];
foreach ($ways as $segment => $call) {
    // in a process and a segment of its own each: nothing is there at its first look
    $other = [...php_command(), ...setting_arguments(['larder.segment' => $segment]), '-r'];
    $pause = in_array($segment, ['fetch', 'exists'], true) ? 15_000 : 0;
    echo "$segment: ", other_process('
        $other = ' . var_export($other, true) . ';
        larder_fetch("key");
        run([...$other, "larder_store(\'key\', 1);"]);
        usleep(' . $pause . ');
        var_dump(' . $call . ');
        echo run([...$other, "var_dump(larder_exists(\'key\'));"]);
    ', ['larder.segment' => $segment]);
}
?>
--EXPECT--
fetch: bool(true)
bool(true)
exists: bool(true)
bool(true)
delete: bool(true)
bool(false)
delete-multiple: bool(true)
bool(false)
delete-prefix: bool(true)
bool(false)
clear: bool(true)
bool(false)

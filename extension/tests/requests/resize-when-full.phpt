--TEST--
A process that found no free record stores right after it has resized the segment
--FILE--
<?php
require __DIR__ . '/../support.inc';
own_cache();

$with = static fn(string $processes): array => ['larder.segment' => 'full', 'larder.processes' => $processes];
$holder = proc_open([...php_command(), ...setting_arguments($with('1')), '-r', 'larder_store("key", 1); echo "stored\n"; fgets(STDIN);'], [['pipe', 'r'], ['pipe', 'w']], $pipes);
echo fgets($pipes[1]);
echo other_process('var_dump(larder_store("key", 2), larder_resize(), larder_store("key", 2), larder_fetch("key"));', [...$with('8'), 'error_log' => '/dev/null']);
fclose($pipes[0]);
proc_close($holder);
?>
--EXPECT--
stored
bool(false)
bool(true)
bool(true)
int(2)

--TEST--
No count is lost when many processes count one key while others fill the cache
--FILE--
<?php
require __DIR__ . '/../support.inc';
own_cache(['larder.size' => '8M']);

$count = 'for ($i = 0; $i < 20000; $i++) { if (larder_increment("up") === false || larder_decrement("down", 2) === false) { exit(1); } }';
$fill = 'for ($i = 0; $i < 3000; $i++) { larder_store("filler $i", str_repeat("x", 8000)); larder_fetch("filler " . $i % 100); }';
$swap = 'for ($i = 0; $i < 2000; $i++) { do { $old = larder_fetch("swapped", 0); } while (!larder_cas("swapped", $old, $old + 1)); }';
larder_store('swapped', 0);
foreach ([$count, $count, $count, $fill, $swap, $swap] as $number => $code) {
    $processes[] = proc_open([...php_command(), '-r', $code], [], $pipes);
}
var_dump(array_sum(array_map(proc_close(...), $processes)));
var_dump(larder_fetch('up'), larder_fetch('down'), larder_fetch('swapped'));
?>
--EXPECT--
int(0)
int(60000)
int(-120000)
int(4000)

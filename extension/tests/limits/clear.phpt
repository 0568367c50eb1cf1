--TEST--
larder_delete() and larder_clear() delete for every process
--FILE--
<?php
require __DIR__ . '/../support.inc';
own_cache();

larder_store_multiple(['a' => 1, 'b' => [2], 'c' => (object) [3]]);
var_dump(larder_delete('a'), larder_delete('a'), larder_fetch('a', 'gone'), larder_exists('b'));
echo other_process('var_dump(larder_exists("a"), larder_delete("b"), larder_fetch("c"));');
var_dump(larder_exists('b'));
for ($i = 0; $i < 5000; $i++) {
    larder_store("key $i", ['number' => $i]);
}
var_dump(larder_clear(), larder_info()['entries'], larder_fetch('key 17', 'gone'), larder_exists('c'));
echo other_process('var_dump(larder_exists("key 4999")); larder_store("new", 1);');
var_dump(larder_fetch('new'), larder_clear(), larder_clear(), larder_exists('new'));
?>
--EXPECTF--
bool(true)
bool(false)
string(4) "gone"
bool(true)
bool(false)
bool(true)
object(stdClass)#%d (1) {
  ["0"]=>
  int(3)
}
bool(false)
bool(true)
int(0)
string(4) "gone"
bool(false)
bool(false)
int(1)
bool(true)
bool(true)
bool(false)

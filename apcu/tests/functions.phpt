--TEST--
The functions take strings and arrays, and answer in APCu's shapes
--INI--
apc.enable_cli=1
larder.segment=functions
--FILE--
<?php
apcu_clear_cache();

echo "store and add\n";
var_dump(apcu_store('a', [1, 'x' => ['y']]), apcu_store(['b' => 2, 3 => 'three']), apcu_add('a', 0), apcu_add(['a' => 0, 'c' => new ArrayObject([1])]));
var_dump(apcu_store('d'), apcu_store(5, 1), apcu_store('e', fopen(__FILE__, 'r')), apcu_store('e', [[fopen(__FILE__, 'r')]]), apcu_fetch('e'));
try {
    apcu_store('e', fn() => 1);
} catch (Exception $e) {
    echo $e->getMessage(), "\n";
}

echo "fetch and exists\n";
var_dump(apcu_fetch('a'), apcu_fetch('none', $found), $found, apcu_fetch('3', $found), $found, apcu_fetch(3));
var_dump(apcu_fetch(['b', 'none', '3', 4], $found), $found, apcu_exists('a'), apcu_exists('none'), apcu_exists(['a', 'none', '3']));
echo apcu_fetch('c')[0], "\n";

echo "count and swap\n";
var_dump(apcu_inc('n', 5, $done), $done, apcu_dec('n'), apcu_dec('m', 2), apcu_inc('a', 1, $done), $done);
var_dump(apcu_cas('n', 4, 9), apcu_cas('n', 4, 10), apcu_cas('none', 0, 1), apcu_cas('a', 0, 1), apcu_fetch('n'));
apcu_store('most', PHP_INT_MAX);
var_dump(apcu_inc('most', 2) === PHP_INT_MIN + 1, apcu_dec('most', 2) === PHP_INT_MAX, apcu_fetch('most') === PHP_INT_MAX);

echo "delete\n";
var_dump(apcu_delete('a'), apcu_delete('a'), apcu_delete(['b', 'none', 3]), apcu_delete(7));

echo "lifetimes\n";
var_dump(apcu_store('gone', 1, -1), apcu_exists('gone'), apcu_add('gone', 1, -1), apcu_inc('gone', 1, $done, -1), apcu_store('lives', 1, 100));
var_dump(apcu_key_info('lives')['ttl'], apcu_key_info('gone'));

echo "keys that the engine cannot have\n";
var_dump(apcu_store('', 1), apcu_store(str_repeat('k', 65536), 1), apcu_fetch(''), apcu_exists(''), apcu_delete(''), apcu_inc(''), apcu_cas('', 0, 1));
var_dump(apcu_clear_cache(), apcu_exists('n'));
?>
--EXPECTF--
store and add
bool(true)
array(0) {
}
bool(false)
array(1) {
  ["a"]=>
  int(-1)
}

Warning: apcu_store(): apc_store expects key parameter to be a string or an array of key/value pairs. in %s on line %d

Warning: apcu_store(): Cannot store resources in apcu cache in %s on line %d
bool(false)
bool(false)
bool(false)
bool(true)
array(1) {
  [0]=>
  array(1) {
    [0]=>
    int(0)
  }
}
Serialization of 'Closure' is not allowed
fetch and exists
array(2) {
  [0]=>
  int(1)
  ["x"]=>
  array(1) {
    [0]=>
    string(1) "y"
  }
}
bool(false)
bool(false)
string(5) "three"
bool(true)
string(5) "three"

Warning: apcu_fetch(): apc_fetch() expects a string or array of strings. in %s on line %d
array(2) {
  ["b"]=>
  int(2)
  ["3"]=>
  string(5) "three"
}
bool(true)
bool(true)
bool(false)
array(2) {
  ["a"]=>
  bool(true)
  ["3"]=>
  bool(true)
}
1
count and swap
int(5)
bool(true)
int(4)
int(-2)
bool(false)
bool(false)
bool(true)
bool(false)
bool(false)
bool(false)
int(9)
bool(true)
bool(true)
bool(true)
delete

Warning: apcu_delete(): apc_delete() expects a string, array of strings, or APCIterator instance in %s on line %d

Warning: apcu_delete(): apc_delete() expects a string, array of strings, or APCIterator instance in %s on line %d
bool(true)
bool(false)
array(2) {
  [0]=>
  string(4) "none"
  [1]=>
  int(3)
}
bool(false)
lifetimes
bool(true)
bool(false)
bool(true)
bool(false)
bool(true)
int(100)
NULL
keys that the engine cannot have
bool(false)
bool(false)
bool(false)
bool(false)
bool(false)
bool(false)
bool(false)
bool(true)
bool(false)

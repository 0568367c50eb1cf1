--TEST--
Many keys at once: every asked key comes back in the order asked, true only if all were there
--FILE--
<?php
require __DIR__ . '/../support.inc';
own_cache();

var_dump(larder_store_multiple(['b' => 2, 'a' => ['x' => 1], 7 => 'seven', 'null' => null]));
$found = larder_fetch_multiple(['a', 'none', 7, 'b', 'null', 'a'], 'missing');
var_dump($found === ['a' => ['x' => 1], 'none' => 'missing', 7 => 'seven', 'b' => 2, 'null' => null]);
var_dump(larder_fetch_multiple(['none', 'b']) === ['none' => null, 'b' => 2], larder_fetch_multiple([]), larder_store_multiple([]), larder_delete_multiple([]));
$default = new stdClass();
var_dump(larder_fetch_multiple(['none'], $default)['none'] === $default);
$found['a'][] = 'changed';
var_dump(larder_fetch('a') === ['x' => 1]);

// one that is refused does not hinder the others
var_dump(larder_store_multiple(['first' => 1, 'huge' => str_repeat('x', 10 << 20), 'last' => 3]));
var_dump(larder_fetch_multiple(['first', 'huge', 'last'], 'missing'));
try {
    larder_store_multiple(['before' => 1, 'bad' => fn () => 1, 'after' => 2]);
} catch (Exception $e) {
    echo $e->getMessage(), "\n";
}
var_dump(larder_fetch_multiple(['before', 'bad', 'after'], 'missing'));

var_dump(larder_delete_multiple(['a', 'b']), larder_delete_multiple(['first', 'none']), larder_exists('first'));

// references in the arguments
$key = 'last';
$values = ['by reference' => &$key];
larder_store_multiple($values);
var_dump(larder_fetch_multiple([&$key, 'by reference']));
?>
--EXPECT--
bool(true)
bool(true)
bool(true)
array(0) {
}
bool(true)
bool(true)
bool(true)
bool(true)
bool(false)
array(3) {
  ["first"]=>
  int(1)
  ["huge"]=>
  string(7) "missing"
  ["last"]=>
  int(3)
}
Serialization of 'Closure' is not allowed
array(3) {
  ["before"]=>
  int(1)
  ["bad"]=>
  string(7) "missing"
  ["after"]=>
  string(7) "missing"
}
bool(true)
bool(false)
bool(false)
array(2) {
  ["last"]=>
  int(3)
  ["by reference"]=>
  string(4) "last"
}

--TEST--
Functions for many keys keep the order of the keys and report each refused one
--FILE--
<?php
require __DIR__ . '/../support.inc';
own_cache();

var_dump(larder_store_multiple(['b' => 2, 'a' => ['x' => 1], 7 => 'seven', 'null' => null]) === []);
$found = larder_fetch_multiple(['a', 'none', 7, 'b', 'null', 'a'], 'missing');
var_dump($found === ['a' => ['x' => 1], 'none' => 'missing', 7 => 'seven', 'b' => 2, 'null' => null]);
var_dump(larder_fetch_multiple(['none', 'b']) === ['none' => null, 'b' => 2], larder_fetch_multiple([]), larder_store_multiple([]) === [], larder_delete_multiple([]) === []);
$default = new stdClass();
var_dump(larder_fetch_multiple(['none'], $default)['none'] === $default);
$found['a'][] = 'changed';
var_dump(larder_fetch('a') === ['x' => 1]);

// one that is refused does not hinder the others
$huge = str_repeat('x', 10 << 20);
var_dump(larder_store_multiple(['first' => 1, 'huge' => $huge, 12 => $huge, 'last' => 3]) === ['huge' => LARDER_ERROR_SIZE, 12 => LARDER_ERROR_SIZE]);
var_dump(larder_last_error() === LARDER_ERROR_SIZE);
var_dump(larder_fetch_multiple(['first', 'huge', 'last'], 'missing'));
try {
    larder_store_multiple(['before' => 1, 'bad' => fn () => 1, 'after' => 2]);
} catch (Exception $e) {
    echo $e->getMessage(), "\n";
}
var_dump(larder_fetch_multiple(['before', 'bad', 'after'], 'missing'));

// of what is added, what was there already is no refusal
var_dump(larder_add_multiple(['first' => 'another', 'new' => 1, 'huge' => $huge, 12 => 'twelve']) === ['first' => LARDER_ERROR_NONE, 'huge' => LARDER_ERROR_SIZE]);
var_dump(larder_fetch_multiple(['first', 'new', 12]) === ['first' => 1, 'new' => 1, 12 => 'twelve'], larder_add_multiple(['newer' => 1], 60) === [], larder_last_error());
var_dump(larder_exists_multiple(['new', 'none', 12, 'huge', 'new']) === ['new' => true, 'none' => false, 12 => true, 'huge' => false], larder_exists_multiple([]));

var_dump(larder_delete_multiple(['a', 'b']) === [], larder_delete_multiple(['first', 'none', 99]) === ['none', '99'], larder_exists('first'));

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
bool(true)
bool(true)
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
bool(true)
bool(true)
int(0)
bool(true)
array(0) {
}
bool(true)
bool(true)
bool(false)
array(2) {
  ["last"]=>
  int(3)
  ["by reference"]=>
  string(4) "last"
}

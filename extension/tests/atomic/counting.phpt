--TEST--
larder_increment() and larder_decrement() leave other types and overflows unchanged
--FILE--
<?php
require __DIR__ . '/../support.inc';
own_cache();

var_dump(larder_increment('a'), larder_increment('a'), larder_increment('a', 10), larder_increment('a', 0), larder_increment('a', -5));
var_dump(larder_decrement('a', 2), larder_decrement('b'), larder_decrement('b', -11), larder_fetch('a'), larder_fetch('b'));
larder_store('stored', 40);
var_dump(larder_increment('stored', 2), same(larder_fetch('stored'), 42));

foreach (['string' => 'text', 'numeric string' => '5', 'float' => 1.0, 'null' => null, 'true' => true, 'array' => [1], 'object' => new stdClass()] as $key => $value) {
    larder_store($key, $value);
    if (larder_increment($key) !== false || larder_decrement($key) !== false || !same(larder_fetch($key), $value)) {
        echo "$key was counted\n";
    }
}

larder_store('high', PHP_INT_MAX - 1);
var_dump(larder_increment('high'), larder_increment('high'), larder_fetch('high') === PHP_INT_MAX, larder_decrement('high', -1));
larder_store('low', PHP_INT_MIN + 1);
var_dump(larder_decrement('low') === PHP_INT_MIN, larder_decrement('low'), larder_increment('low', PHP_INT_MAX));
var_dump(larder_increment('new high', PHP_INT_MAX) === PHP_INT_MAX, larder_decrement('new low', PHP_INT_MAX));
try {
    larder_decrement('new', PHP_INT_MIN);
} catch (ValueError $e) {
    echo $e->getMessage(), "\n";
}
?>
--EXPECT--
int(1)
int(2)
int(12)
int(12)
int(7)
int(5)
int(-1)
int(10)
int(5)
int(10)
int(42)
bool(true)
int(9223372036854775807)
bool(false)
bool(true)
bool(false)
bool(true)
bool(false)
int(-1)
bool(true)
int(-9223372036854775807)
larder_decrement(): Argument #2 ($step) must be greater than PHP_INT_MIN

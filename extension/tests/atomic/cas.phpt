--TEST--
larder_cas() replaces an integer only if it is the expected one
--FILE--
<?php
require __DIR__ . '/../support.inc';
own_cache();

var_dump(larder_cas('missing', 0, 1), larder_exists('missing'));
larder_store('int', 5);
var_dump(larder_cas('int', 4, 6), larder_fetch('int'), larder_cas('int', 5, PHP_INT_MIN), larder_fetch('int') === PHP_INT_MIN, larder_cas('int', PHP_INT_MIN, PHP_INT_MAX), larder_fetch('int') === PHP_INT_MAX);
foreach (['5', 5.0, true, null, [5]] as $value) {
    larder_store('other', $value);
    var_dump(larder_cas('other', 5, 6) || !same(larder_fetch('other'), $value));
}
?>
--EXPECT--
bool(false)
bool(false)
bool(false)
int(5)
bool(true)
bool(true)
bool(true)
bool(true)
bool(false)
bool(false)
bool(false)
bool(false)
bool(false)

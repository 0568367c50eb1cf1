--TEST--
null, bool, int and float are unchanged
--FILE--
<?php
require __DIR__ . '/../support.inc';
own_cache();

come_back(function () {
    yield 'null' => null;
    yield 'true' => true;
    yield 'false' => false;
    foreach ([0, 1, -1, 255, 1 << 31, -(1 << 31), 1 << 32, 1 << 62, PHP_INT_MAX, PHP_INT_MIN, PHP_INT_MIN + 1] as $int) {
        yield "int $int" => $int;
    }
    yield 'zero' => 0.0;
    yield 'minus zero' => -0.0;
    yield 'NAN' => NAN;
    yield 'INF' => INF;
    yield 'minus INF' => -INF;
    yield 'one tenth' => 0.1;
    yield 'epsilon' => PHP_FLOAT_EPSILON;
    yield 'largest' => PHP_FLOAT_MAX;
    yield 'smallest' => PHP_FLOAT_MIN;
    yield 'denormal' => 4.9e-324;
    yield 'an integer as a float' => 9007199254740993.0;
    yield 'all together' => [null, true, false, 0, PHP_INT_MIN, -0.0, NAN, INF, 1.5];
});

larder_store('null', null);
var_dump(larder_fetch('null', 'missing'), larder_fetch('nothing', 'missing'), larder_fetch('nothing'));
?>
--EXPECT--
all came back
NULL
string(7) "missing"
NULL

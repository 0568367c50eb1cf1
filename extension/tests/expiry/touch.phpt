--TEST--
larder_touch() changes only the expiry
--FILE--
<?php
require __DIR__ . '/../support.inc';
own_cache();

$values = ['string' => str_repeat('text ', 1000), 'array' => ['a' => [1, 2, ['deep' => 'er']]], 'int' => 7, 'null' => null, 'object' => (object) ['p' => 1], 'long' => str_repeat('0123456789', 50000), 'empty' => ''];
foreach ($values as $key => $value) {
    larder_store($key, $value, 0.3);
    var_dump(larder_touch($key, 60));
}
larder_store('less', 1);
larder_store('none', 1, 0.3);
$held = larder_fetch('array');
var_dump(larder_touch('less', 0.1), larder_touch('none', 0), larder_touch('missing', 5));
larder_increment('int');
usleep(450000);
$values['int'] = 8;
foreach ($values as $key => $value) {
    foreach (fetch_both($key, 'missing') as $how => $found) {
        if (!same($value, $found)) {
            echo "$key, $how, is another\n";
        }
    }
}
var_dump(larder_exists('less'), larder_exists('none'), $held === $values['array']);

// an integer keeps its expiry when it is counted
larder_store('counter', 1, 0.2);
larder_increment('counter', 1, 60);
larder_cas('counter', 2, 3);
var_dump(larder_fetch('counter'));
usleep(300000);
var_dump(larder_exists('counter'));
?>
--EXPECT--
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(false)
bool(false)
bool(true)
bool(true)
int(3)
bool(false)

--TEST--
larder_peek() returns a value and leaves no trace: no counter changes, and the entry is evicted as if nobody had looked
--FILE--
<?php
require __DIR__ . '/../support.inc';
own_cache(['larder.size' => '8M']);

$counters = fn (): array => array_diff_key(larder_info(false), ['age' => true]);
$values = ['null' => null, 'false' => false, 'int' => 7, 'float' => 1.5, 'empty' => '', 'text' => str_repeat('x', 1000), 'list' => [1, 'two' => [3]],
    'long' => str_repeat('y', 100_000), 'object' => new ArrayObject([1]), 'plain' => (object) ['a' => 1]];
larder_store_multiple($values);
larder_store('gone', 1, 0.01);
larder_store('stale', 1, 0.01, 100);
usleep(20_000);
$before = $counters();
foreach ($values as $key => $value) {
    if (larder_peek($key, 'miss') != $value || larder_key_info($key)['used']) {
        echo "$key differs or was used\n";
    }
}
var_dump(larder_peek('gone'), larder_peek('stale', 'default'), larder_peek('none', 'default'), $counters() === $before, larder_info()['pins']['mine']);
larder_fetch('text');
var_dump($counters() === $before, larder_key_info('text')['used'], larder_info()['pins']['mine']);

// A value keeps its form after others were looked at, which are copied to the same place.
$first = larder_peek('list');
larder_peek('long');
var_dump($first === $values['list']);

// Those that are looked at go, those that are fetched stay.
for ($i = 0; $i < 10_000; $i++) {
    larder_store("before:$i", str_repeat('b', 1000)); // the cache is full
}
foreach (['peeked', 'fetched'] as $prefix) {
    for ($i = 0; $i < 200; $i++) {
        larder_store("$prefix:$i", str_repeat('x', 1000));
    }
}
for ($i = 0; $i < 40_000; $i++) {
    larder_peek('peeked:' . $i % 200);
    larder_fetch('fetched:' . $i % 200);
    larder_store("new:$i", str_repeat('n', 1000));
}
$there = fn (string $prefix): int => count(iterator_to_array(new LarderIterator($prefix)));
var_dump($there('peeked:') < 100, $there('fetched:') > 190);
?>
--EXPECT--
NULL
string(7) "default"
string(7) "default"
bool(true)
int(0)
bool(false)
bool(true)
int(1)
bool(true)
bool(true)
bool(true)

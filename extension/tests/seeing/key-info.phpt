--TEST--
larder_key_info() describes an entry and changes nothing
--FILE--
<?php
require __DIR__ . '/../support.inc';
own_cache();

var_dump(larder_key_info('none'));
larder_store('k', str_repeat('x', 1000), 100);
$before = larder_info();
$info = larder_key_info('k');
var_dump(array_keys($info), $info['ttl'] > 90 && $info['ttl'] <= 100, $info['age'] <= 1, $info['size'], $info['used']);
$after = larder_info();
var_dump($after['hits'] === $before['hits'], $after['misses'] === $before['misses']);
larder_fetch('k');
var_dump(larder_key_info('k')['used'], larder_key_info('k')['often']);
larder_fetch('k');
larder_fetch('k');
larder_fetch('k');
var_dump(larder_key_info('k')['often']);
larder_store('kept', 1, 100, 60, 0.5);
larder_store('costly', 'text', 100, 0, 0.25);
foreach (['kept', 'costly'] as $key) {
    $walked = iterator_to_array(new LarderIterator($key))[$key];
    printf("%s %.1f %.2f %.1f %.2f\n", $key, larder_key_info($key)['stale'], larder_key_info($key)['cost'], $walked['stale'], $walked['cost']);
}
larder_touch('kept', 0);
var_dump(larder_key_info('kept')['stale']);
// of every kind of value
foreach ([null, true, 1, 1.5, '', 'x', 'text', [], [1, [2]], new ArrayObject([1])] as $value) {
    larder_store('k', $value);
    $info = larder_key_info('k');
    if (!$info || $info['ttl'] !== 0.0 || $info['used'] || $info['size'] < 40 - 8 || $info['size'] > 1000 || $info['size'] % 8 !== 0) {
        var_dump($value, $info);
    }
}
// the age is the value's
foreach (['stored', 'touched', 'counted'] as $key) {
    larder_store($key, 1);
}
usleep(2_100_000);
larder_store('stored', 1);
larder_touch('touched', 50);
larder_increment('counted');
var_dump(larder_key_info('stored')['age'] <= 1, larder_key_info('touched')['age'] >= 2, larder_key_info('counted')['age'] >= 2);
larder_store('gone', 1, 0.01);
usleep(20_000);
var_dump(larder_key_info('gone'));
larder_store('far', 1, PHP_INT_MAX);
var_dump(larder_key_info('far')['ttl'] > 86400 * 3650);
?>
--EXPECT--
NULL
array(5) {
  [0]=>
  string(3) "ttl"
  [1]=>
  string(3) "age"
  [2]=>
  string(4) "size"
  [3]=>
  string(4) "used"
  [4]=>
  string(5) "often"
}
bool(true)
bool(true)
int(1072)
bool(false)
bool(true)
bool(true)
bool(true)
bool(false)
bool(true)
kept 60.0 0.50 60.0 0.50
costly 0.0 0.25 0.0 0.25
float(0)
bool(true)
bool(true)
bool(true)
NULL
bool(true)

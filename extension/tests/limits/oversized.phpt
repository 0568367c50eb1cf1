--TEST--
A value over an eighth of the cache is refused, deletes the stale one and evicts nothing else
--INI--
memory_limit=512M
--FILE--
<?php
require __DIR__ . '/../support.inc';
own_cache();

for ($i = 0; $i < 100; $i++) {
    larder_store("other $i", str_repeat("$i", 1000));
}
$before = larder_info();
$huge = [
    'string' => str_repeat('x', 3 << 20),
    'array of one string' => [str_repeat('x', 3 << 20)],
    'list' => range(1, 300000),
    'map' => array_combine(array_map(fn ($i) => "key $i", range(1, 100000)), range(1, 100000)),
    'many strings' => array_map(fn ($i) => "a string, number $i, that is not that short", range(1, 100000)),
    'long keys' => [str_repeat('k', 1 << 20) => 1, str_repeat('l', 1 << 20) => 2, str_repeat('m', 1 << 20) => 3],
    'object' => (object) ['p' => str_repeat('x', 3 << 20)],
];
foreach ($huge as $name => $value) {
    larder_store('key', 'old');
    $refused = [!larder_add('new', $value), !larder_exists('new'), !larder_replace('key', $value), larder_fetch('key') === 'old', !larder_store('key', $value), !larder_exists('key')];
    echo $name, ': ', implode(' ', array_map(intval(...), $refused)), "\n";
}
$after = larder_info();
var_dump($after['evictions'] === $before['evictions'], $after['entries'] === $before['entries'], $after['refusals']['size'] > 0, $after['memory']['large']);
for ($i = 0; $i < 100; $i++) {
    if (larder_fetch("other $i") !== str_repeat("$i", 1000)) {
        echo "$i is lost\n";
    }
}
// a tree of 2^40 leaves, from 40 arrays, is stored as 40 arrays
$doubled = [1, 2, 3];
for ($i = 0; $i < 40; $i++) {
    $doubled = [$doubled, $doubled];
}
var_dump(larder_store('doubled', $doubled), larder_key_info('doubled')['size'] < 5000);
foreach (fetch_both('doubled') as $how => $tree) {
    for ($levels = 0; is_array($tree[$levels % 2]); $levels++) {
        $tree = $tree[$levels % 2];
    }
    echo "$how: $levels levels, ", implode(' ', $tree), "\n";
}
// what just fits is stored
var_dump(larder_store('large', str_repeat('x', 1 << 20)), strlen(larder_fetch('large')));
?>
--EXPECT--
string: 1 1 1 1 1 1
array of one string: 1 1 1 1 1 1
list: 1 1 1 1 1 1
map: 1 1 1 1 1 1
many strings: 1 1 1 1 1 1
long keys: 1 1 1 1 1 1
object: 1 1 1 1 1 1
bool(true)
bool(true)
bool(true)
int(0)
bool(true)
bool(true)
pointed to: 40 levels, 1 2 3
copied: 40 levels, 1 2 3
bool(true)
int(1048576)

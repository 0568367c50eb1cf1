--TEST--
A string or a short array that occurs often in a value is stored once
--FILE--
<?php
require __DIR__ . '/../support.inc';
own_cache();

/** Bytes that a value takes: how many of them fit before the cache evicts, the other way round. */
function pages(mixed $value): int
{
    larder_clear();
    $before = larder_info()['memory'];
    for ($i = 0; $i < 20; $i++) {
        larder_store("copy $i", $value);
    }
    $after = larder_info()['memory'];

    return $before['free'] - $after['free'];
}

$text = str_repeat('z', 1000);
$other = fn (int $i) => str_repeat('z', 996) . sprintf('%04d', $i);
$shared = array_fill(0, 100, $text);
$distinct = array_map($other, range(0, 99));
var_dump(pages($shared) * 5 < pages($distinct));

// keys of rows that are equal by content, not by pointer, as json_decode() makes them
$key = fn (string $prefix) => fn (int $i) => $prefix . $i . str_repeat('k', 400);
$rows = json_decode(json_encode(array_fill(0, 100, array_fill_keys(array_map($key('a'), range(1, 5)), 1))), true);
$unlike = json_decode(json_encode(array_map(fn ($n) => array_fill_keys(array_map($key("b$n-"), range(1, 5)), 1), range(1, 100))), true);
var_dump(pages($rows) * 5 < pages($unlike));
var_dump(same($rows, larder_fetch('copy 19')) === false, same($unlike, larder_fetch('copy 19')));

// short values that are equal by content
$states = array_map(fn ($i) => ['state' => str_repeat('open', 12) . $i % 3], range(0, 1999));
$names = array_map(fn ($i) => ['state' => str_repeat('open', 11) . sprintf('%05d', $i)], range(0, 1999));
$size = function (array $value): int {
    larder_store('k', $value);

    return larder_key_info('k')['size'];
};
$states = json_decode(json_encode($states), true);
$names = json_decode(json_encode($names), true);
foreach (['states' => $states, 'names' => $names] as $what => $value) {
    larder_store('k', $value);
    foreach (fetch_both('k') as $how => $found) {
        echo "$what, $how: ", same($found, $value) ? 'came back' : 'changed', "\n";
    }
}
var_dump($size($states) * 4 < $size($names)); // rows, too

// arrays that differ only in the order, in a type, or in the next index are not equal
$differ = [];
for ($i = 0; $i < 40; ++$i) {
    $next = [1, 2];
    unset($next[1]);
    $differ[] = [['a' => 1, 'b' => 2], ['b' => 2, 'a' => 1], [1, 2], [1.0, 2], ['1', 2], [true, 2], [0 => 1], $next, [], [1 => 1, 0 => 2], [null], [0], [false], [[]]];
}
larder_store('k', unserialize(serialize($differ)));
larder_store('l', $differ);
foreach (['k' => unserialize(serialize($differ)), 'l' => $differ] as $key => $value) {
    foreach (fetch_both($key) as $how => $found) {
        $found[0][2][] = 'written'; // to one of them
        $found[0][2] = [1, 2];
        echo "$how: ", same($found, $value) ? 'came back' : 'changed', "\n";
    }
}

// copies share them too: memory_limit would end this otherwise
$long = str_repeat('long', 1 << 16);
larder_store('long', array_fill(0, 2000, $long));
ini_set('larder.zero_copy', '0');
$copy = larder_fetch('long');
var_dump(count($copy), $copy[1999] === $long);
?>
--EXPECT--
bool(true)
bool(true)
bool(true)
bool(true)
states, pointed to: came back
states, copied: came back
names, pointed to: came back
names, copied: came back
bool(true)
pointed to: came back
copied: came back
pointed to: came back
copied: came back
int(2000)
bool(true)

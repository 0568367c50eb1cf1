--TEST--
A string that occurs often in a value is stored once
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
int(2000)
bool(true)

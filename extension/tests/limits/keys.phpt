--TEST--
A key is any 1 to 65,535 bytes
--FILE--
<?php
require __DIR__ . '/../support.inc';
own_cache();

$keys = ["\0", "\0\0", 'a', "a\0b", "a\0c", '0', '00', '-0', '1', '01', '1.0', ' ', "\xff\xfe", 'ä', "\u{1F980}", str_repeat('k', 255), str_repeat('k', 256), str_repeat('k', 65534), str_repeat('k', 65535), str_repeat("\0", 65535), 'Key', 'key', 'Ez', 'FY'];
foreach ($keys as $number => $key) {
    larder_store($key, "of key $number");
}
foreach ($keys as $number => $key) {
    if (larder_fetch($key) !== "of key $number" || !larder_exists($key)) {
        echo "key $number is lost\n";
    }
}
$all = larder_fetch_multiple($keys);
echo count($all), ' ', count($keys), "\n";
foreach ($keys as $number => $key) {
    if (!larder_delete($key) || larder_exists($key) || larder_fetch($key, 'gone') !== 'gone') {
        echo "key $number is still there\n";
    }
}

// integers are what PHP makes strings of
larder_store(12, 'twelve');
var_dump(larder_fetch('12'), larder_fetch(12), larder_fetch_multiple([12]), larder_delete_multiple(['12', 13]));

$long = str_repeat('k', 65536);
foreach (['', $long] as $key) {
    foreach ([
        'larder_fetch' => [$key], 'larder_peek' => [$key], 'larder_fetch_if' => [$key, 'guard'], 'larder_fetch_multiple' => [['fine', $key]], 'larder_store' => [$key, 1], 'larder_store_multiple' => [[$key => 1]], 'larder_add_multiple' => [[$key => 1]], 'larder_add' => [$key, 1],
        'larder_replace' => [$key, 1], 'larder_delete' => [$key], 'larder_delete_multiple' => [[$key]], 'larder_exists' => [$key], 'larder_exists_multiple' => [[$key]], 'larder_key_info' => [$key], 'larder_touch' => [$key, 1],
        'larder_increment' => [$key], 'larder_decrement' => [$key], 'larder_cas' => [$key, 1, 2], 'larder_fetch_cas' => [$key], 'larder_store_cas' => [$key, 1, 2],
    ] as $function => $arguments) {
        try {
            $function(...$arguments);
            echo "$function took it\n";
        } catch (ValueError $e) {
            echo $key === '' ? $e->getMessage() . "\n" : '';
        }
    }
}
foreach ([[null], [[]], [1.5]] as $bad) {
    try {
        larder_fetch_multiple($bad);
    } catch (TypeError $e) {
        echo $e->getMessage(), "\n";
    }
}
?>
--EXPECT--
24 24
string(6) "twelve"
string(6) "twelve"
array(1) {
  [12]=>
  string(6) "twelve"
}
array(1) {
  [0]=>
  string(2) "13"
}
larder_fetch(): Argument #1 ($key) must be between 1 and 65535 bytes long
larder_peek(): Argument #1 ($key) must be between 1 and 65535 bytes long
larder_fetch_if(): Argument #1 ($key) must be between 1 and 65535 bytes long
larder_fetch_multiple(): Argument #1 ($keys) must contain only keys between 1 and 65535 bytes long
larder_store(): Argument #1 ($key) must be between 1 and 65535 bytes long
larder_store_multiple(): Argument #1 ($values) must contain only keys between 1 and 65535 bytes long
larder_add_multiple(): Argument #1 ($values) must contain only keys between 1 and 65535 bytes long
larder_add(): Argument #1 ($key) must be between 1 and 65535 bytes long
larder_replace(): Argument #1 ($key) must be between 1 and 65535 bytes long
larder_delete(): Argument #1 ($key) must be between 1 and 65535 bytes long
larder_delete_multiple(): Argument #1 ($keys) must contain only keys between 1 and 65535 bytes long
larder_exists(): Argument #1 ($key) must be between 1 and 65535 bytes long
larder_exists_multiple(): Argument #1 ($keys) must contain only keys between 1 and 65535 bytes long
larder_key_info(): Argument #1 ($key) must be between 1 and 65535 bytes long
larder_touch(): Argument #1 ($key) must be between 1 and 65535 bytes long
larder_increment(): Argument #1 ($key) must be between 1 and 65535 bytes long
larder_decrement(): Argument #1 ($key) must be between 1 and 65535 bytes long
larder_cas(): Argument #1 ($key) must be between 1 and 65535 bytes long
larder_fetch_cas(): Argument #1 ($key) must be between 1 and 65535 bytes long
larder_store_cas(): Argument #1 ($key) must be between 1 and 65535 bytes long
larder_fetch_multiple(): Argument #1 ($keys) must contain only strings and integers, null found
larder_fetch_multiple(): Argument #1 ($keys) must contain only strings and integers, array found
larder_fetch_multiple(): Argument #1 ($keys) must contain only strings and integers, float found

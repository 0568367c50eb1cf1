--TEST--
larder_delete_prefix() deletes the keys with a prefix and no others
--FILE--
<?php
require __DIR__ . '/../support.inc';
own_cache();

for ($i = 0; $i < 1000; $i++) {
    larder_store("user:$i", str_repeat('x', $i));
    larder_store("users:$i", $i);
}
$held = larder_fetch('user:999');
larder_store('user:expired', 1, 0.01);
usleep(20_000);
var_dump(larder_delete_prefix('none'), larder_delete_prefix('user:1'), larder_delete_prefix('user:'), larder_delete_prefix('user:'));
var_dump($held === str_repeat('x', 999), larder_exists('user:999'), iterator_count(new LarderIterator('users:')), larder_info()['deletes']);
var_dump(larder_delete_prefix(str_repeat('x', 100_000)));
try {
    larder_delete_prefix('');
} catch (ValueError $e) {
    echo $e->getMessage(), "\n";
}
?>
--EXPECT--
int(0)
int(111)
int(889)
int(0)
bool(true)
bool(false)
int(1000)
int(1000)
int(0)
larder_delete_prefix(): Argument #1 ($prefix) must not be empty, larder_clear() deletes everything

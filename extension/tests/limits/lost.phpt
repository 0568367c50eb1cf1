--TEST--
A cache that becomes unavailable reports the reason
--FILE--
<?php
require __DIR__ . '/../support.inc';
own_cache();

var_dump(larder_store('key', 1));
$path = larder_info()['path'];
unlink($path);
chmod(dirname($path), 0755);
usleep(1_200_000); // until the process looks at the path again
for ($i = 0; $i < 40; ++$i) {
    larder_exists('key');
}
ini_set('larder.compact', 'auto'); // asks whether the cache is full
var_dump(larder_store('list', [1, 'two']));
ini_set('larder.compact', '0');
var_dump(larder_store('key', 2), larder_last_error() === LARDER_ERROR_UNAVAILABLE, larder_info()['reason'] !== '');
var_dump(larder_last_error_msg() === 'No cache is available: ' . larder_info()['reason']);

chmod(dirname($path), 0700);
usleep(1_200_000);
for ($i = 0; $i < 40; ++$i) {
    larder_exists('key');
}
var_dump(larder_store('key', 3), larder_fetch('key'));
?>
--EXPECT--
bool(true)
bool(false)
bool(false)
bool(true)
bool(true)
bool(true)
bool(true)
int(3)

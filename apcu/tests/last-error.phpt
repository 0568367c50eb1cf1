--TEST--
The message of the last error is about the segment of the call that failed
--INI--
apc.enable_cli=1
apc.shm_size=16M
larder.size=64M
--FILE--
<?php
$large = str_repeat('x', 8 << 20);
foreach (['apcu_store', 'larder_store'] as $store) {
    var_dump($store('large', $large));
    echo preg_replace('/\d+/', '#', larder_last_error_msg()), "\n";
    $store('string', 'x');
    var_dump(larder_last_error_msg());
}
// A name that is too long only with the suffix of the module's segment.
$words = explode("\0", rtrim(file_get_contents('/proc/self/cmdline'), "\0"));
$settings = ['-d', 'larder.segment=' . str_repeat('n', 62), '-d', 'error_log=/dev/null'];
$command = [...array_slice($words, 0, array_search('-f', $words, true)), ...$settings, '-r', '
    var_dump(larder_store("k", 1), apcu_store("k", 1));
    echo larder_last_error_msg(), "\n";
'];
passthru(implode(' ', array_map(escapeshellarg(...), $command)));
?>
--EXPECT--
bool(false)
The value takes # bytes; the limit is #, an eighth of the cache. Set apc.shm_size=#M, and run larder resize
string(0) ""
bool(false)
The value takes # bytes; the limit is #, an eighth of the cache. Set larder.size=#M, and run larder resize
string(0) ""
bool(true)
bool(false)
No cache is available: larder.segment must be 1 to 64 of A-Z a-z 0-9 . _ - and not begin with a dot

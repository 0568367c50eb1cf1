--TEST--
The default settings work on a tmpfs of 64 MiB, as containers have
--SKIPIF--
<?php
$status = 0;
exec('unshare --mount true 2>/dev/null', $said, $status);
if ($status !== 0) {
    die('skip a tmpfs of its own takes root and unshare');
}
?>
--FILE--
<?php
require __DIR__ . '/../support.inc';
own_cache(['larder.size' => '64M']);

/** Runs code with /dev/shm as a new tmpfs of this size. */
function in_tmpfs(string $size, string $code): string
{
    $command = implode(' ', array_map(escapeshellarg(...), [...php_command(), '-d', 'larder.path=/dev/shm', '-d', 'larder.size=64M', '-d', 'error_log=/dev/null', '-r', $code]));

    return run(['unshare', '--mount', '--propagation', 'private', 'sh', '-c', "mount -t tmpfs -o size=$size none /dev/shm && exec $command"]);
}

$work = '
    $wrong = 0;
    for ($i = 0; $i < 20000; $i++) {
        larder_store("key $i", [str_repeat("$i ", 1000), $i]);
        $wrong += (int) (larder_fetch("key $i") !== [str_repeat("$i ", 1000), $i]);
    }
    $info = larder_info();
    echo $wrong, " wrong, ", $info["evictions"]["room"] > 0 ? "evicted" : "none evicted", ", ", $info["size"] >> 20, " MiB: ", $info["reason"], "\n";
';
foreach (['64m', '32m', '9m'] as $size) {
    echo "$size: ", in_tmpfs($size, $work);
}
echo '64m: ', in_tmpfs('64m', 'ini_set("memory_limit", "256M"); foreach ([9, 1] as $mebibytes) { larder_store("k", str_repeat("x", $mebibytes << 20)); echo larder_last_error_msg(), "\n"; }');
echo '4m: ', in_tmpfs('4m', 'var_dump(larder_store("k", 1), larder_info()["available"]); echo larder_info()["reason"], "\n";');
?>
--EXPECTF--
64m: 0 wrong, evicted, 6%d MiB: %S
32m: 0 wrong, evicted, %d MiB: %s
9m: 0 wrong, evicted, 8 MiB: %s
64m: The value takes 9437216 bytes; the limit is 6%d, an eighth of the cache. Set larder.size=8%dM, after enlarging the file system of /dev/shm to %d MiB, and run larder resize

4m: bool(false)
bool(false)
%s

--TEST--
apcu_entry() computes a key once, whoever asks, and a killed process holds up nobody
--EXTENSIONS--
pcntl
posix
--INI--
apc.enable_cli=1
larder.segment=entry
--FILE--
<?php
apcu_clear_cache();

echo "in one process\n";
var_dump(apcu_entry('k', fn($key) => "made of $key", 10), apcu_entry('k', fn() => 'again'), apcu_key_info('k')['ttl']);
var_dump(apcu_entry('outer', fn() => apcu_entry('inner', fn() => apcu_entry('outer', fn() => 'innermost') . '+') . '+'), apcu_fetch('inner'));
try {
    apcu_entry('fails', fn() => throw new Exception('no value'));
} catch (Exception $e) {
    echo $e->getMessage(), "\n";
}
var_dump(apcu_exists('fails'), apcu_entry('fails', fn() => 'now it has one'));

/** Runs $work in children at once. */
function children(int $count, callable $work): array
{
    $children = [];
    for ($i = 0; $i < $count; $i++) {
        $child = pcntl_fork();
        if ($child === 0) {
            $work($i);
            posix_kill(getmypid(), SIGKILL); // without the end of the script
        }
        $children[] = $child;
    }

    return $children;
}

echo "in eight\n";
foreach (children(8, function () {
    $value = apcu_entry('slow', function () {
        apcu_inc('computed');
        usleep(200_000);

        return 'value';
    });
    $value === 'value' && apcu_inc('right');
}) as $child) {
    pcntl_waitpid($child, $status);
}
var_dump(apcu_fetch('computed'), apcu_fetch('right'));

echo "of two keys, each inside the other\n";
foreach (children(2, function (int $i) {
    apcu_entry("key$i", function () use ($i) {
        usleep(100_000);
        apcu_entry('key' . (1 - $i), fn() => usleep(100_000));

        return 1;
    });
}) as $child) {
    pcntl_waitpid($child, $status);
}
var_dump(apcu_exists(['key0', 'key1']));

echo "killed\n";
[$child] = children(1, function () {
    apcu_entry('killed', function () {
        apcu_store('begun', 1);
        sleep(60);
    });
});
while (!apcu_exists('begun')) {
    usleep(1000);
}
$waiting = children(1, fn() => apcu_entry('killed', fn() => 'by the next'));
usleep(50_000);
var_dump(apcu_exists('killed'));
posix_kill($child, SIGKILL);
pcntl_waitpid($waiting[0], $status);
var_dump(apcu_fetch('killed'));
?>
--EXPECT--
in one process
string(9) "made of k"
string(9) "made of k"
int(10)
string(11) "innermost++"
string(10) "innermost+"
no value
bool(false)
string(14) "now it has one"
in eight
int(1)
int(8)
of two keys, each inside the other
array(2) {
  ["key0"]=>
  bool(true)
  ["key1"]=>
  bool(true)
}
killed
bool(false)
string(11) "by the next"

--TEST--
Functions that write into their arguments get copies of named variadic ones too
--SKIPIF--
<?php
if (!shell_exec('command -v cc') || !shell_exec('command -v php-config')) {
    die('skip needs a C compiler and php-config');
}
?>
--FILE--
<?php
require __DIR__ . '/../support.inc';
own_cache();

$directory = temporary_directory(sys_get_temp_dir());
try {
    $includes = preg_split('/\s+/', trim(shell_exec('php-config --includes')));
    echo run(['cc', '-shared', '-fPIC', '-O2', ...$includes, '-o', "$directory/rrd.so", __DIR__ . '/named-arguments.c']);
    echo other_process(<<<'CODE'
        $numbers = [1, 2.5, true];
        larder_store('numbers', $numbers);
        larder_store('options', ['first' => [1, 2], 'second' => [3]]);
        $fetched = larder_fetch('numbers');
        $options = larder_fetch('options');
        $calls = [
            'by position' => fn () => rrd_convert($fetched, $fetched),
            'by name' => fn () => rrd_convert(first: $fetched, second: $fetched),
            'both' => fn () => rrd_convert($fetched, second: $fetched),
            'unpacked' => fn () => rrd_convert(...$options),
            'as a closure' => fn () => rrd_convert(...)(first: $fetched),
            'called back' => fn () => call_user_func_array('rrd_convert', $options),
            'through a closure' => fn () => (fn (...$arguments) => rrd_convert(...$arguments))(first: $fetched),
        ];
        $used = array_fill(0, 20, 0);
        foreach ($calls as $name => $call) {
            for ($i = 0; $i < 20; $i++) {
                $call();
                $used[$i] = memory_get_usage();
            }
            echo $name, $used[10] === $used[19] ? '' : ' leaks memory', $fetched === $numbers && larder_fetch('numbers') === $numbers ? ': unchanged' : ': changed', "\n";
        }
        var_dump($options === ['first' => [1, 2], 'second' => [3]]);
        CODE, ['extension' => "$directory/rrd.so"]);
} finally {
    remove($directory);
}
?>
--EXPECT--
by position: unchanged
by name: unchanged
both: unchanged
unpacked: unchanged
as a closure: unchanged
called back: unchanged
through a closure: unchanged
bool(true)

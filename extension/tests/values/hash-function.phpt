--TEST--
The hash function equals PHP's at every length and alignment
--SKIPIF--
<?php
if (php_uname('m') !== 'x86_64') {
    die("skip PHP's own function is used here");
}
if (!shell_exec('command -v cc') || !shell_exec('command -v php-config')) {
    die('skip needs a C compiler and php-config');
}
?>
--FILE--
<?php
require __DIR__ . '/../support.inc';

$directory = temporary_directory(sys_get_temp_dir());
try {
    $includes = preg_split('/\s+/', trim(shell_exec('php-config --includes')));
    // Once as users build it, once where undefined behaviour ends the program.
    foreach (['as built' => ['-O2'], 'sanitized' => ['-O1', '-fsanitize=undefined', '-fno-sanitize-recover=undefined']] as $how => $options) {
        echo "$how: ", run(['cc', ...$options, ...$includes, '-o', "$directory/test", __DIR__ . '/hash-function.c', __DIR__ . '/../../php/hash.c']), run(["$directory/test"]);
    }
} finally {
    remove($directory);
}
?>
--EXPECT--
as built: 459200 tried, 0 wrong
sanitized: 459200 tried, 0 wrong

--TEST--
Damaged bytes of the dense form are refused; with a right checksum they are a valid array or refused
--DESCRIPTION--
lab/sanitizers runs the same under AddressSanitizer.
--SKIPIF--
<?php
if (!shell_exec('command -v cc') || !shell_exec('command -v php-config')) {
    die('skip needs a C compiler and php-config');
}
?>
--FILE--
<?php
require __DIR__ . '/../support.inc';

$directory = temporary_directory(sys_get_temp_dir());
try {
    $php = __DIR__ . '/../../php';
    $includes = preg_split('/\s+/', trim(shell_exec('php-config --includes')));
    $decoder = file_get_contents("$php/dense_decode.c");
    $faults = [
        'as it is' => ['', ''],
        'control: the checksum is not compared' => ['checksum != dense_checksum(bytes, length)', 'false'],
        'control: keys may be there twice' => ['UNEXPECTED(other->h == bucket->h)', 'false'],
    ];
    foreach ($faults as $name => [$right, $wrong]) {
        file_put_contents("$directory/decode.c", $right === '' ? $decoder : str_replace($right, $wrong, $decoder, $replaced));
        echo run(['cc', '-shared', '-fPIC', '-O2', ...$includes, '-iquote', $php, "-DDENSE_DECODE=\"$directory/decode.c\"", '-o', "$directory/dense.so", __DIR__ . '/dense-damaged.c']);
        $counts = json_decode(other_process(
            'require ' . var_export(__DIR__ . '/dense-damaged.inc', true) . '; echo json_encode(damage_arrays(' . mt_rand() . ', 20_000));',
            ['extension' => "$directory/dense.so"],
        ), true);
        echo "$name: ", $counts['other'] === 0 ? 'refused' : 'changed', $counts['invalid'] === 0 ? '' : ', invalid arrays', "\n";
        echo $counts['refused'] + $counts['same'] + $counts['other'] === 20_000 && $counts['sealed'] > 500 ? '' : json_encode($counts) . "\n";
    }
} finally {
    remove($directory);
}
?>
--EXPECT--
as it is: refused
control: the checksum is not compared: changed
control: keys may be there twice: refused, invalid arrays

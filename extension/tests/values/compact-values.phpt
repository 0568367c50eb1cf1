--TEST--
With larder.compact=1, other tests of values pass, too
--FILE--
<?php
require __DIR__ . '/../support.inc';

/** A section of another test. */
function section(string $test, string $name): string
{
    preg_match("/^--$name--\n(.*?)(?=^--[A-Z]+--|\z)/ms", file_get_contents(__DIR__ . "/$test.phpt"), $found);

    return trim($found[1]);
}

$directory = temporary_directory(sys_get_temp_dir());
try {
    foreach (['arrays', 'references', 'scalars', 'strings', 'objects', 'graphs', 'classes', 'incomplete', 'changed-classes', 'user-code'] as $test) {
        file_put_contents("$directory/$test.php", str_replace('__DIR__', var_export(__DIR__, true), section($test, 'FILE')));
        $output = trim(run([...php_command(), '-d', 'larder.compact=1', '-f', "$directory/$test.php"]));
        echo "$test: ", $output === section($test, 'EXPECT') ? 'as expected' : $output, "\n";
    }
} finally {
    remove($directory);
}
?>
--EXPECT--
arrays: as expected
references: as expected
scalars: as expected
strings: as expected
objects: as expected
graphs: as expected
classes: as expected
incomplete: as expected
changed-classes: as expected
user-code: as expected

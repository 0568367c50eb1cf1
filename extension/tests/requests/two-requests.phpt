--TEST--
Nothing touches a fetched value after its request: each snippet of anything/ served twice by one process
--SKIPIF--
<?php if (ini_get('larder.control') === false) { die('skip needs the build whose values cannot be read after their request'); } ?>
--FILE--
<?php
require __DIR__ . '/../requests.inc';
own_cache();

$tried = 0;
foreach (snippets() as $name => $snippet) {
    foreach (twice($name, $snippet) as $number => $answer) {
        $tried++;
        if ($answer !== "unchanged\n") {
            echo "$name, request ", $number + 1, ': ', substr($answer, 0, 300), "\n";
        }
    }
}
echo $tried >= 80 ? 'all were tried' : "only $tried were tried", "\n";
?>
--EXPECT--
all were tried

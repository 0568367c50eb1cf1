--TEST--
Arrays are restored at nesting depths of up to 40,000
--DESCRIPTION--
No step may recurse: PHP's own comparing and freeing do, so the deepest ones are taken apart level by level.
--FILE--
<?php
require __DIR__ . '/../support.inc';
own_cache(['larder.size' => '256M']);

function nested(int $levels): array
{
    $array = ['bottom'];
    for ($i = 1; $i < $levels; $i++) {
        $array = $i % 2 ? [$array] : ['in' => $array];
    }

    return $array;
}

function depth(array $array): string
{
    for ($levels = 1; is_array(current($array)); $levels++) {
        $array = current($array);
    }

    return "$levels levels, " . current($array);
}

come_back(fn () => yield '200 levels' => nested(200));

foreach ([1, 2, 200, 4096, 10000, 40000] as $levels) {
    var_dump(larder_store("nested $levels", nested($levels)));
    foreach (fetch_both("nested $levels") as $how => $array) {
        echo "$how: ", depth($array), "\n";
        while (is_array($array)) { // so that PHP need not free it by recursion
            $array = array_pop($array);
        }
    }
}
echo other_process('
    $levels = 0;
    for ($array = larder_fetch("nested 10000"); is_array($array); $array = current($array)) {
        $levels++;
    }
    echo "elsewhere: $levels levels, $array\n";
');
?>
--EXPECT--
all came back
bool(true)
pointed to: 1 levels, bottom
copied: 1 levels, bottom
bool(true)
pointed to: 2 levels, bottom
copied: 2 levels, bottom
bool(true)
pointed to: 200 levels, bottom
copied: 200 levels, bottom
bool(true)
pointed to: 4096 levels, bottom
copied: 4096 levels, bottom
bool(true)
pointed to: 10000 levels, bottom
copied: 10000 levels, bottom
bool(true)
pointed to: 40000 levels, bottom
copied: 40000 levels, bottom
elsewhere: 10000 levels, bottom

--TEST--
A fetched value is appended to
--FILE--
<?php
require __DIR__ . '/../anything.inc';

foreach (['list', 'map', 'rows', 'holes', 'empty', 'numbers'] as $name) {
    $array = stored($name);
    for ($i = 0; $i < 200; $i++) {
        $array[] = $i;
        $array["key $i"] = [$i];
    }
    foreach ($array as $key => $_) {
        unset($array[$key]);
    }
    $array = stored($name);
    foreach (array_keys($array) as $key) {
        unset($array[$key]);
    }
    $array[] = 'again';
}
$rows = stored('rows');
$rows[0]['tags'][] = 'one more';
$rows[0]['tags'][2]['deep'] .= ' still';
unset($rows[1]['tags'][0], $rows[2]);
$empty = stored('empty');
$empty['list'][] = 1;
$empty['map']['in']['x']['y'][] = 2;

unchanged();
?>
--EXPECT--
unchanged

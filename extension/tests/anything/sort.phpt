--TEST--
A fetched value is sorted in every way
--FILE--
<?php
require __DIR__ . '/../anything.inc';

foreach (['list', 'numbers', 'strings', 'map', 'holes'] as $name) {
    foreach (['sort', 'rsort', 'asort', 'arsort', 'ksort', 'krsort', 'natsort', 'natcasesort', 'shuffle'] as $function) {
        $array = stored($name);
        if ($name === 'list' || $name === 'map') {
            $array = array_map(fn ($element) => is_array($element) ? 'array' : (string) $element, $array);
        }
        $function($array);
    }
    foreach (['usort', 'uasort', 'uksort'] as $function) {
        $array = stored($name);
        $function($array, fn ($a, $b) => strcmp(json_encode($b), json_encode($a)));
    }
}
$numbers = stored('numbers');
$strings = stored('strings');
array_multisort($numbers, SORT_DESC, $strings);
$rows = stored('rows');
array_multisort(array_column($rows, 'name'), SORT_STRING, $rows);
usort($rows, function ($a, $b) use (&$rows) {
    $a['id']++;
    $rows[0]['name'] = 'changed while sorting';

    return $a['price'] <=> $b['price'];
});

unchanged();
?>
--EXPECT--
unchanged

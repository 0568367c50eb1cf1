--TEST--
A fetched value is the key of new arrays
--FILE--
<?php
require __DIR__ . '/../anything.inc';

$array = [];
foreach (stored('strings') as $string) {
    $array[$string][$string][] = $string;
    $array[$string][stored('word')] ??= stored('rows');
    $array[$string]['count'] = ($array[$string]['count'] ?? 0) + 1;
}
$array['string 1']['word'][0]['name'] = 'changed';
foreach (stored('map') as $key => $value) {
    $copy[$key] = $value;
    $copy[$key . '2'] = &$copy[$key];
}
$copy['alpha'][] = 1;
foreach (stored('rows') as $row) {
    foreach ($row as $key => $value) {
        $columns[$key][] = $value;
    }
}
sort($columns['name']);
$columns['tags'][0][] = 1;
ksort($columns);
unset($array[stored('strings')[3]]);
$by_number = [stored('number') => stored('float'), stored('float') => 1, stored('character') => 2];
$by_number[42] .= '!';
$flipped = array_flip(stored('strings'));
array_key_exists(stored('word'), stored('map')) && print "there?\n";
isset(stored('map')[stored('word')]) && print "there?\n";
$static = [stored('word') => [stored('text') => [stored('long') => 1]]];
$static['word'][stored('text')][stored('long')]++;
array_walk($flipped, fn (&$value, $key) => $value = $key);
$grouped = array_fill_keys(array_keys(stored('map')), stored('empty'));
$grouped['alpha']['list'][] = 1;

unchanged();
?>
--EXPECT--
unchanged

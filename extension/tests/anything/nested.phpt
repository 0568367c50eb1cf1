--TEST--
A fetched value is changed deep inside
--FILE--
<?php
require __DIR__ . '/../anything.inc';

$rows = stored('rows');
$rows[3]['tags'][2]['deep'] = ['deeper' => ['still' => stored('text')]];
$rows[3]['tags'][2]['deep']['deeper']['still'] .= '!';
$tags = $rows[4]['tags'];
$tags[2]['deep'] = 'changed';
$rows[4]['tags'] = $tags;
$other = stored('map');
$other['rows'] = stored('rows');
$other['rows'][0]['map'] = stored('map');
$other['rows'][0]['map']['rows'] = $other['rows'];
$other['rows'][0]['map']['rows'][1]['name'] = 'changed';
unset($other['delta']['x']['y']['z']);
$copies = array_fill(0, 5, stored('rows'));
$copies[2][3]['name'] .= '!';
$copies[3][3]['tags'][2] = $copies[2][3];
for ($i = 0, $at = &$copies; $i < 3; $i++) {
    $at = &$at[array_key_first($at)];
}
$at = 'changed';
unset($at);
function deepest(array $array): array
{
    foreach ($array as $key => $value) {
        $array[$key] = is_array($value) ? deepest($value) : "$value!";
    }

    return $array;
}
deepest(stored('rows'));
$empty = stored('empty');
$empty['map']['in'] = &$empty['list'];
$empty['list'][] = 'both';
$tree = stored('map');
$tree['self'] = $tree;
$tree['self']['self'] = $tree;
$tree['self']['self']['alpha'][0] = 'changed';

unchanged();
?>
--EXPECT--
unchanged

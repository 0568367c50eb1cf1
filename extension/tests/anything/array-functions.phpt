--TEST--
A fetched value goes through the array functions
--FILE--
<?php
require __DIR__ . '/../anything.inc';

$list = stored('list');
array_walk($list, function (&$element, $key, $more) {
    $element = $more;
}, stored('text'));
$rows = stored('rows');
array_walk_recursive($rows, function (&$element) {
    $element = is_string($element) ? strtoupper($element) : 0;
});
$list = stored('list');
$removed = array_splice($list, 2, 3, stored('strings'));
$removed[] = 1;
array_splice($list, -2);
foreach (['list', 'numbers', 'holes', 'rows', 'map'] as $name) {
    $array = stored($name);
    array_push($array, stored('text'), stored('rows'));
    array_unshift($array, stored('map'));
    array_pop($array);
    array_shift($array);
    array_pop($array);
    array_shift($array);
    array_pop($array);
}
$results = [
    array_merge(stored('list'), stored('map')), array_merge_recursive(stored('map'), stored('map')),
    array_replace(stored('list'), stored('numbers')), array_replace_recursive(stored('rows'), stored('rows')),
    stored('list') + stored('map'), array_reverse(stored('rows'), true), array_slice(stored('strings'), 3, 5),
    array_slice(stored('list'), 0), array_chunk(stored('rows'), 7), array_pad(stored('list'), 50, stored('text')),
    array_fill_keys(stored('strings'), stored('rows')), array_flip(stored('strings')), array_unique(stored('numbers')),
    array_values(stored('holes')), array_values(stored('list')), array_keys(stored('map')), array_combine(stored('strings'), stored('strings')),
    array_column(stored('rows'), 'tags', 'name'), array_filter(stored('list')), array_map(null, stored('list'), stored('rows')),
    array_map(fn ($x) => $x, stored('map')), array_count_values(stored('strings')), array_change_key_case(stored('map'), CASE_UPPER),
    array_diff_key(stored('map'), ['alpha' => 1]), array_intersect(stored('strings'), stored('strings')), (array) array_rand(stored('map'), 2),
    iterator_to_array(new ArrayIterator(stored('rows'))), range(0, 5), array_is_list(stored('holes')) ? [] : stored('holes'),
];
foreach ($results as &$result) {
    foreach ($result as &$element) {
        if (is_string($element)) {
            $element .= '!';
        } elseif (is_array($element)) {
            $element['changed'] = true;
        }
    }
    unset($element);
    $result[] = 'more';
}
unset($result);
array_reduce(stored('rows'), fn ($carry, $row) => $carry + $row, stored('map'));
array_sum(stored('numbers')) + array_product(stored('numbers'));
max(stored('strings')) . min(stored('numbers')) . count(stored('rows'), COUNT_RECURSIVE);

unchanged();
?>
--EXPECT--
unchanged

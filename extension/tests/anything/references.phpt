--TEST--
A fetched value is referenced, and so are its elements
--FILE--
<?php
require __DIR__ . '/../anything.inc';

function by_reference(&$value, string $more): void
{
    if (is_array($value)) {
        $value[] = $more;
    } else {
        $value .= $more;
    }
}
$text = stored('text');
$same = &$text;
$same .= ' and on';
by_reference($same, '…');
$rows = stored('rows');
$name = &$rows[3]['name'];
$name = strtoupper($name);
by_reference($rows[4]['tags'], 'more');
by_reference($rows[4]['tags'][2]['deep'], 'more');
by_reference($rows[5]['new'], 'one');
$copy = $rows;
$copy[3]['name'] = 'through the reference';
$list = stored('list');
foreach (array_keys($list) as $key) {
    $references[$key] = &$list[$key];
}
foreach ($references as &$reference) {
    $reference = 'gone';
}
unset($reference);
$a = ['x' => stored('map')];
$b = &$a['x']['delta']['x'];
$b['y']['z'] = 'changed';
[$one, &$two] = $list;
$two = 'two';
$all = [stored('text'), &$all];
$all[1][0] .= '!';

unchanged();
?>
--EXPECT--
unchanged

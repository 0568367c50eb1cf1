--TEST--
larder.compact stores arrays and objects densely, which takes less memory
--FILE--
<?php
require __DIR__ . '/../support.inc';
own_cache();

enum Order
{
    case Ascending;
    case Descending;
}

$tied = 'by a reference';
$values = [
    'rows' => array_map(fn ($i) => ['id' => $i, 'name' => "name $i", 'state' => 'open', 'list' => [$i, 2.5, null]], range(1, 200)),
    'objects' => array_map(fn ($i) => (object) ['id' => $i, 'at' => new DateTime("@$i")], range(1, 50)),
    'of a class' => new ArrayObject(range(1, 50)),
    'an enum in rows' => array_map(fn ($i) => ['id' => $i, 'order' => Order::Descending], range(1, 20)),
    'tied' => [1, 'a' => &$tied, 'b' => &$tied] + range(1, 200),
    'holes' => array_filter(range(0, 30), fn ($i) => $i % 3 > 0),
    'empty' => [],
    'string' => 'text',
];
foreach ($values as $name => $value) {
    larder_store($name, $value);
    $usual = larder_key_info($name)['size'];
    ini_set('larder.compact', '1');
    larder_store($name, $value);
    ini_set('larder.compact', '0');
    foreach (fetch_both($name) as $how => $found) {
        echo "$name, $how: ", same($found, $value) || serialize($found) === serialize($value) ? 'came back' : 'changed', "\n";
    }
    echo larder_key_info($name)['size'] * 2 < $usual ? "less than half\n" : "not less than half\n";
}
?>
--EXPECT--
rows, pointed to: came back
rows, copied: came back
less than half
objects, pointed to: came back
objects, copied: came back
less than half
of a class, pointed to: came back
of a class, copied: came back
less than half
an enum in rows, pointed to: came back
an enum in rows, copied: came back
less than half
tied, pointed to: came back
tied, copied: came back
not less than half
holes, pointed to: came back
holes, copied: came back
less than half
empty, pointed to: came back
empty, copied: came back
not less than half
string, pointed to: came back
string, copied: came back
not less than half

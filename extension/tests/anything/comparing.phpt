--TEST--
A fetched value is compared
--FILE--
<?php
require __DIR__ . '/../anything.inc';

foreach (array_keys(sources()) as $name) {
    $a = stored($name);
    $b = sources()[$name];
    if ($a !== $b || $a != $b || ($a <=> $b) !== 0 || $a !== stored($name)) {
        echo "$name is not itself\n";
    }
    $b = is_array($b) ? $b + ['more' => 1] : "$b!";
    if ($a === $b || $a == $b) {
        echo "$name is another\n";
    }
    $a < $b;
    match (true) {
        $a === stored($name) => $a,
        default => print "$name is not itself\n",
    };
    in_array(stored('word'), (array) $a);
    array_search(stored('text'), (array) $a, true);
}
switch (stored('word')) {
    case 'one':
        echo "one?\n";
        break;
    case 'word':
        break;
    default:
        echo "what?\n";
}
$by_key = [stored('text') => 1, stored('word') => 2, stored('number') => 3];
if (!isset($by_key['word'], $by_key[42], $by_key[stored('text')]) || $by_key !== [sources()['text'] => 1, 'word' => 2, 42 => 3]) {
    echo "not found by key\n";
}
array_diff(stored('strings'), stored('strings'));
array_udiff(stored('rows'), stored('rows'), fn ($x, $y) => $x <=> $y);
array_uintersect_assoc(stored('list'), stored('list'), fn ($x, $y) => strcmp(json_encode($x), json_encode($y)));
strcmp(stored('text'), stored('long')) + strnatcasecmp(stored('word'), stored('text')) + (stored('text') <=> stored('word'));
hash_equals(stored('text'), stored('text')) || print "not equal\n";

unchanged();
?>
--EXPECT--
unchanged

--TEST--
Unshared references are dissolved; shared ones and recursion are kept
--FILE--
<?php
require __DIR__ . '/../support.inc';
own_cache();

function unshared(): array
{
    $array = ['a' => 1, 'b' => ['c' => 2]];
    foreach ($array as &$element) {
        $element = $element;
    }
    unset($element);
    $inner = &$array['b']['c'];
    unset($inner);

    return $array;
}

come_back(function () {
    yield 'references of count one' => unshared();
});

// shared references
$x = 1;
$shared = ['first' => &$x, 'second' => &$x, 'list' => [1, 2]];
larder_store('shared', $shared);
foreach (fetch_both('shared') as $how => $found) {
    $found['first'] = 'changed';
    echo "$how: {$found['second']}, $x\n";
}

// an array that holds itself
$self = ['name' => 'self'];
$self['self'] = &$self;
var_dump(larder_store('self', $self));
foreach (fetch_both('self') as $how => $found) {
    echo "$how: {$found['self']['self']['self']['name']}\n";
}

// the same, when the only reference left is the one inside
function alone(): array
{
    $array = ['name' => 'alone', 'deeper' => []];
    $array['deeper']['up'] = &$array;

    return $array;
}
$alone = alone();
try {
    $as_by_serialize = larder_store('alone', $alone);
    foreach (fetch_both('alone') as $found) { // one level deeper it is another array in PHP's format too
        $as_by_serialize = $as_by_serialize && $found['deeper']['up']['name'] === 'alone';
    }
} catch (Error) { // PHP's serialize() recurses until its stack is full, from 8.3.27 and 8.4.14 on
    try {
        serialize($alone);
        $as_by_serialize = false;
    } catch (Error) {
        $as_by_serialize = larder_fetch('alone', 'nothing') === 'nothing';
    }
}
var_dump($as_by_serialize);
var_dump($alone['deeper']['up']['name']); // and it was left as it was

// through $GLOBALS
$global = 'g';
var_dump(larder_store('globals', ['copy' => $GLOBALS['global']]), larder_fetch('globals'));

echo other_process('
    $shared = larder_fetch("shared");
    $shared["first"] = "changed elsewhere";
    echo $shared["second"], "\n", larder_fetch("self")["self"]["self"]["name"], "\n";
');
?>
--EXPECT--
all came back
pointed to: changed, 1
copied: changed, 1
bool(true)
pointed to: self
copied: self
bool(true)
string(5) "alone"
bool(true)
array(1) {
  ["copy"]=>
  string(1) "g"
}
changed elsewhere
self

--TEST--
What must be serialized is refused if it has more levels than unserialize_max_depth
--DESCRIPTION--
It could be stored but not fetched; and with very many levels, serializers overflow the stack, as PHP does when it frees
what a fetch of the compact form gives. Arrays are serialized only if they have shared references.
--FILE--
<?php
require __DIR__ . '/../support.inc';
own_cache(['larder.size' => '256M', 'larder.compact' => '1']);

function nested(int $levels, bool $objects, bool $references = true): array|object
{
    $value = $objects ? (object) ['next' => 'bottom'] : ($references ? [&$levels, &$levels] : ['bottom', $levels]);
    for ($i = 1; $i < $levels; $i++) {
        $value = $objects ? (object) ['next' => $value] : [$value];
    }

    return $value;
}

/** Counts the levels and takes them apart, because PHP frees by recursion. */
function levels(mixed &$value): int
{
    for ($levels = 0; is_array($value) || is_object($value); $levels++) {
        if (is_array($value)) {
            $value = array_pop($value);
        } else {
            $inner = $value->next;
            $value->next = null;
            $value = $inner;
        }
    }

    return $levels;
}

foreach ([4096, 4097, 100_000] as $levels) {
    $value = nested($levels, false, false);
    echo 'compact, arrays: ', larder_store('deep', $value) ? 'stored' : 'refused';
    levels($value);
    $value = larder_fetch('deep');
    echo ', ', levels($value), " levels\n";
}
// Each contains the one before it, and all are in the value: PHP frees the last one by recursion.
$all = [['first']];
while (count($all) < 100_000) {
    $all[] = [end($all), 'x'];
}
echo 'compact, arrays in a chain: ', larder_store('deep', array_reverse($all)) ? 'stored' : 'refused', "\n";
while ($all !== []) {
    array_pop($all);
}

foreach (['php', 'igbinary'] as $serializer) { // without igbinary, PHP's again
    ini_set('larder.serializer', $serializer);
    foreach ([false, true] as $objects) {
        foreach ([4096, 4097, 100_000] as $levels) {
            larder_store('deep', 'an old value');
            $value = nested($levels, $objects);
            echo $serializer, $objects ? ', objects: ' : ', arrays: ', larder_store('deep', $value) ? 'stored' : 'refused';
            levels($value);
            $value = larder_fetch('deep');
            echo ', ', levels($value), " levels\n";
        }
    }
}
echo larder_last_error() === LARDER_ERROR_SIZE ? larder_last_error_msg() : 'no error', "\n";

/** All are at the second level, and the first is written with all others in it. */
function chained(int $length, bool $firstFirst): array
{
    $all = [(object) ['next' => null]];
    while (count($all) < $length) {
        $all[] = (object) ['next' => end($all)];
    }

    return $firstFirst ? array_reverse($all) : $all;
}

foreach (['php', 'igbinary'] as $serializer) {
    ini_set('larder.serializer', $serializer);
    foreach ([[4095, true], [4096, true], [100_000, true], [100_000, false]] as [$length, $firstFirst]) {
        $value = chained($length, $firstFirst);
        echo "$serializer, $length in a chain: ", larder_store('deep', $value) ? 'stored' : 'refused', "\n";
        foreach ($value as $object) {
            $object->next = null;
        }
        if ($length < 10_000) {
            echo gettype(larder_fetch('deep')), "\n";
        }
    }
    // A fetched array is immutable, so it cannot be marked as seen.
    ini_set('larder.compact', '0');
    $value = nested(100_000, false, false);
    larder_store('plain', $value);
    levels($value);
    ini_set('larder.compact', '1');
    echo "$serializer, fetched: ", larder_store('deep', [larder_fetch('plain'), &$value, &$value]) ? 'stored' : 'refused', "\n";
}
ini_set('unserialize_max_depth', '5000');
var_dump(larder_store('deep', nested(4097, true)));
$value = larder_fetch('deep');
var_dump(levels($value));
?>
--EXPECT--
compact, arrays: stored, 4096 levels
compact, arrays: refused, 0 levels
compact, arrays: refused, 0 levels
compact, arrays in a chain: refused
php, arrays: stored, 4096 levels
php, arrays: refused, 0 levels
php, arrays: refused, 0 levels
php, objects: stored, 4096 levels
php, objects: refused, 0 levels
php, objects: refused, 0 levels
igbinary, arrays: stored, 4096 levels
igbinary, arrays: refused, 0 levels
igbinary, arrays: refused, 0 levels
igbinary, objects: stored, 4096 levels
igbinary, objects: refused, 0 levels
igbinary, objects: refused, 0 levels
The value has more levels than unserialize_max_depth allows. Store it with fewer, or raise that setting
php, 4095 in a chain: stored
array
php, 4096 in a chain: refused
NULL
php, 100000 in a chain: refused
php, 100000 in a chain: stored
php, fetched: refused
igbinary, 4095 in a chain: stored
array
igbinary, 4096 in a chain: refused
NULL
igbinary, 100000 in a chain: refused
igbinary, 100000 in a chain: stored
igbinary, fetched: refused
bool(true)
int(4097)

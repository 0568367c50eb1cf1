--TEST--
Arrays that are each in the next one twice are stored once, or refused at once, but not written out 2^40 times
--INI--
memory_limit=128M
--FILE--
<?php
require __DIR__ . '/../support.inc';
own_cache();

function doubled(array $inner, int $times): array
{
    for ($i = 0; $i < $times; $i++) {
        $inner = [$inner, $inner];
    }
    return $inner;
}

function shown(mixed $value): string
{
    for ($depth = 0; is_array($value) && $depth < 40; $depth++) {
        $value = $value[1];
    }
    return json_encode($value);
}

set_time_limit(30);
$arrays = doubled([mt_rand(1, 1)], 40);
larder_store('literal', $arrays);
$values = [
    'arrays' => $arrays,
    'fetched arrays' => larder_fetch('literal'),
    'a reference' => [&$arrays, &$arrays],
    'arrays beside an object' => [doubled([mt_rand(1, 1)], 39), new stdClass()],
    'arrays around an object' => doubled([new stdClass()], 40),
];
foreach ([['auto', '0'], ['php', '0'], ['php', '1']] as [$serializer, $compact]) {
    echo "-- larder.serializer=$serializer, larder.compact=$compact\n";
    ini_set('larder.serializer', $serializer);
    ini_set('larder.compact', $compact);
    foreach ($values as $name => $value) {
        larder_delete('k');
        $stored = larder_store('k', $value);
        if ($serializer === 'auto' && $name !== 'arrays' && $name !== 'fetched arrays') {
            echo "$name: done\n"; // igbinary writes each once, PHP does not
            continue;
        }
        echo "$name: ", $stored ? 'stored ' . shown(larder_fetch('k')) : larder_last_error_msg(), "\n";
    }
}
ini_set('larder.compact', '0');
ini_set('larder.serializer', 'auto');

echo "-- fewer come back\n";
foreach (['auto', 'php'] as $serializer) {
    ini_set('larder.serializer', $serializer);
    foreach ([[doubled([1.5], 8), new stdClass()], doubled([new stdClass()], 8)] as $value) {
        larder_store('k', $value);
        foreach (fetch_both('k') as $how => $found) {
            echo "$serializer, $how: ", serialize($found) === serialize($value) ? 'came back' : 'changed', "\n";
        }
    }
}
?>
--EXPECTF--
-- larder.serializer=auto, larder.compact=0
arrays: stored [1]
fetched arrays: stored [1]
a reference: done
arrays beside an object: done
arrays around an object: done
-- larder.serializer=php, larder.compact=0
arrays: stored [1]
fetched arrays: stored [1]
a reference: The value takes more than the limit of %d bytes, an eighth of the cache. Raise larder.size
arrays beside an object: The value takes more than the limit of %d bytes, an eighth of the cache. Raise larder.size
arrays around an object: The value takes more than the limit of %d bytes, an eighth of the cache. Raise larder.size
-- larder.serializer=php, larder.compact=1
arrays: stored [1]
fetched arrays: stored [1]
a reference: The value takes more than the limit of %d bytes, an eighth of the cache. Raise larder.size
arrays beside an object: The value takes more than the limit of %d bytes, an eighth of the cache. Raise larder.size
arrays around an object: The value takes more than the limit of %d bytes, an eighth of the cache. Raise larder.size
-- fewer come back
auto, pointed to: came back
auto, copied: came back
auto, pointed to: came back
auto, copied: came back
php, pointed to: came back
php, copied: came back
php, pointed to: came back
php, copied: came back

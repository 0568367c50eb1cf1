--TEST--
larder.compact=auto stores arrays densely in a full cache, and gives PHP's form to those that are fetched often
--FILE--
<?php
require __DIR__ . '/../support.inc';
own_cache();

$rows = array_map(fn ($i) => ['id' => $i, 'name' => "name $i", 'state' => 'open'], range(1, 50));
$size = fn (string $key): int => larder_key_info($key)['size'] ?? 0;
$is_dense = fn (string $key): bool => $size($key) > 0 && $size($key) < 2000;
/** The number of keys that are there after three times as many were stored as fit in PHP's form. */
$kept = function () use ($rows): int {
    $kept = 0;
    for ($i = 0; $i < 5000; $i++) {
        larder_store("$i", $rows);
    }
    for ($i = 0; $i < 5000; $i++) {
        $kept += (int) larder_exists("$i");
    }

    return $kept;
};
/** Reads the key until it has another form, 20,000 times at most, while others are stored. */
$read = function (string $key, callable $read) use ($rows, $is_dense): string {
    for ($i = 0; $i < 20_000; $i++) {
        if (!same($read($key), $rows)) {
            return 'another value';
        }
        if (!$is_dense($key)) {
            return "PHP's form";
        }
        if ($i % 100 === 0) { // pages are opened for others
            static $others = 0;
            larder_store('other ' . ++$others, str_repeat('x', 20_000));
        }
    }

    return 'dense';
};
$usual = $kept();
larder_clear();

ini_set('larder.compact', 'auto');
larder_store('before', $rows);
echo 'while there is room: ', $is_dense('before') ? 'dense' : "PHP's form", "\n";
$auto = $kept();
echo 'kept: ', $auto > 2 * $usual ? 'more than twice as many' : "$auto and $usual", "\n";

larder_store('k', $rows, 1000, 500, 0.25);
echo 'in the full cache: ', $is_dense('k') ? 'dense' : "PHP's form", "\n";
larder_fetch_cas('k', null, $token);
echo 'fetched with a token: ', $read('k', fn ($key) => larder_fetch_cas($key)), "\n";
echo 'looked at: ', $read('k', fn ($key) => larder_peek($key)), "\n";
echo 'fetched: ', $read('k', fn ($key) => larder_fetch($key)), "\n";
['ttl' => $ttl, 'stale' => $stale, 'cost' => $cost] = larder_key_info('k');
var_dump($ttl > 900 && $ttl <= 1000, $stale, $cost);
var_dump(larder_store_cas('k', 1, $token)); // it names the dense one

larder_store('fresh', $rows, 1000);
echo 'fetched fresh: ', $read('fresh', fn ($key) => larder_fetch_fresh($key)), "\n";
foreach (['compact' => '1', 'zero_copy' => '0'] as $name => $value) {
    ini_set("larder.$name", $value);
    larder_store($name, $rows);
    echo "fetched with $name=$value: ", $read($name, fn ($key) => larder_fetch($key)), "\n";
    ini_set("larder.$name", $name === 'compact' ? 'auto' : '1');
}

larder_clear();
for ($i = 0; $i < 20; $i++) {
    larder_store("new $i", $rows);
}
echo 'after it was cleared: ', $is_dense('new 19') ? 'dense' : "PHP's form", "\n";
?>
--EXPECT--
while there is room: PHP's form
kept: more than twice as many
in the full cache: dense
fetched with a token: dense
looked at: dense
fetched: PHP's form
bool(true)
float(500)
float(0.25)
bool(false)
fetched fresh: PHP's form
fetched with compact=1: dense
fetched with zero_copy=0: dense
after it was cleared: PHP's form

--TEST--
A full cache evicts a little at a time and stays usable
--FILE--
<?php
require __DIR__ . '/../support.inc';
own_cache(['larder.size' => '8M']);

$value = fn (int $i) => ['number' => $i, 'text' => str_repeat("$i ", 300), 'list' => [$i, [$i]]];
$refused = $wrong = 0;
for ($i = 0; $i < 20000; $i++) {
    $refused += (int) !larder_store("key $i", $value($i));
    if ($i % 10 === 0) {
        larder_fetch('key 0'); // in use
    }
}
$found = 0;
for ($i = 0; $i < 20000; $i++) {
    $fetched = larder_fetch("key $i");
    if ($fetched !== null) {
        $found++;
        $wrong += (int) ($fetched !== $value($i));
    }
}
echo "refused $refused, wrong $wrong\n";
var_dump($found > 2000, $found < 20000, larder_exists('key 19999'), larder_exists('key 0'));
$info = larder_info();
var_dump($info['evictions']['room'] > 0, $info['entries'] >= $found);
?>
--EXPECT--
refused 0, wrong 0
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)

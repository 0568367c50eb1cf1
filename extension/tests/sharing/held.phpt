--TEST--
A fetched value is unchanged while others overwrite, delete, clear and evict it
--FILE--
<?php
require __DIR__ . '/../support.inc';
own_cache(['larder.size' => '8M']);

$make = [
    'array' => fn () => ['rows' => array_map(fn (int $i) => ['id' => $i, 'name' => "name $i"], range(1, 100))],
    'string' => fn () => str_repeat('held ', 1000),
    'long' => fn () => str_repeat('0123456789abcdef', 30000),
    'short' => fn () => implode('', ['sh', 'ort']),
];
$churn = 'for ($i = 0; $i < 1500; $i++) { larder_store("churn $i", [str_repeat("$i ", 1000 + $i % 1000), [$i]]); larder_store("long churn " . $i % 7, str_repeat("$i", 40000)); }';
foreach ([
    'overwrite' => fn (string $key) => larder_store($key, ['another', 'value']),
    'overwrite elsewhere' => fn (string $key) => other_process("larder_store('$key', str_repeat('another', 1000));"),
    'delete' => fn (string $key) => larder_delete($key),
    'delete elsewhere' => fn (string $key) => other_process("larder_delete('$key');"),
    'clear' => fn (string $key) => larder_clear(),
    'clear elsewhere' => fn (string $key) => other_process('larder_clear();'),
    'touch' => fn (string $key) => larder_touch($key, 0.001),
    'nothing but others' => fn (string $key) => null,
] as $what => $do) {
    $held = [];
    foreach ($make as $key => $source) {
        larder_store($key, $source());
        $held[$key] = larder_fetch($key);
        $part[$key] = is_array($held[$key]) ? larder_fetch($key)['rows'][99] : null;
    }
    foreach (array_keys($make) as $key) {
        $do($key);
    }
    other_process($churn);
    eval($churn);
    foreach ($make as $key => $source) {
        if ($held[$key] !== $source() || ($part[$key] !== null && $part[$key] !== $source()['rows'][99])) {
            echo "$what: $key has changed\n";
        }
    }
}
var_dump(larder_info()['evictions']['room'] > 1000, larder_info()['pins']['mine'] > 0);

// and a value that is held through thousands of rewrites of its own key
larder_store('rewritten', ['version' => 0, 'text' => str_repeat('0', 3000)]);
$first = larder_fetch('rewritten');
for ($i = 1; $i < 5000; $i++) {
    larder_store('rewritten', ['version' => $i, 'text' => str_repeat((string) ($i % 10), 3000)]);
    if ($i % 50 === 0) {
        $kept[$i] = larder_fetch('rewritten');
    }
}
foreach ($kept as $i => $value) {
    if ($value !== ['version' => $i, 'text' => str_repeat((string) ($i % 10), 3000)]) {
        echo "version $i has changed\n";
    }
}
var_dump($first === ['version' => 0, 'text' => str_repeat('0', 3000)]);
$info = larder_info();
var_dump($info['pins']['long_lived'] <= $info['pins']['long_lived_limit'] + 4, $info['copies'] > 0);
?>
--EXPECT--
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)

--TEST--
larder_add() stores only absent keys, larder_replace() only existing ones
--FILE--
<?php
require __DIR__ . '/../support.inc';
own_cache();

foreach (['scalar' => 1, 'null' => null, 'string' => 'text', 'array' => ['a', ['b']], 'object' => new ArrayObject([1])] as $key => $value) {
    $results = [
        larder_replace($key, 'no'), larder_exists($key), larder_add($key, $value), larder_add($key, 'no'), same(larder_fetch($key), $value),
        larder_replace($key, [$value]), same(larder_fetch($key), [$value]), larder_delete($key), larder_delete($key), larder_add($key, $value, 30),
    ];
    echo $key, ': ', implode(' ', array_map(intval(...), $results)), "\n";
}

// of many processes that add the same key, one succeeds
$code = 'for ($i = 0; $i < 300; $i++) { if (larder_add("race $i", getmypid())) { echo "$i\n"; } }';
$command = [...php_command(), '-r', $code];
for ($i = 0; $i < 4; $i++) {
    $processes[] = proc_open($command, [1 => ['pipe', 'w']], $all_pipes[$i]);
}
$won = [];
foreach ($all_pipes as $pipes) {
    $won = array_merge($won, explode("\n", trim(stream_get_contents($pipes[1]))));
}
$won = array_filter($won, fn ($line) => $line !== '');
echo count($won), ' of ', count(array_unique($won)), "\n";
?>
--EXPECT--
scalar: 0 0 1 0 1 1 1 1 0 1
null: 0 0 1 0 1 1 1 1 0 1
string: 0 0 1 0 1 1 1 1 0 1
array: 0 0 1 0 1 1 1 1 0 1
object: 0 0 1 0 1 1 1 1 0 1
300 of 300

--TEST--
What gets PHP's form by larder.compact=auto is never older than what others have stored
--FILE--
<?php
require __DIR__ . '/../support.inc';
own_cache(['larder.size' => '8M']);

// The writer waits long enough for what a reader has begun, and must find its own value.
$writer = 'ini_set("larder.compact", "1");
    $list = array_fill(0, 50, 1);
    $lost = 0;
    for ($i = 1; $i % 64 || larder_fetch("end") === null; $i++) {
        larder_store("k", ["version" => $i, "list" => $list]);
        for ($wait = 0; $wait < $i % 150; $wait++);
        $lost += (int) (larder_fetch("k")["version"] !== $i);
    }
    echo "$lost lost\n";';
$reader = 'ini_set("larder.compact", "auto");
    $wrong = 0;
    for ($i = 0; $i < 2000000; $i++) {
        $wrong += (int) (larder_fetch("k", ["list" => []])["list"] === []);
    }
    echo "$wrong missing\n";';
larder_store('k', ['version' => 0, 'list' => [1]]);
foreach ([$writer, $reader, $reader] as $code) {
    $processes[] = proc_open([...php_command(), '-r', $code], [1 => STDOUT], $pipes);
}
array_map(proc_close(...), array_slice($processes, 1));
larder_store('end', 1);
proc_close($processes[0]);
?>
--EXPECT--
0 missing
0 missing
0 lost

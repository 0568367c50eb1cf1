--TEST--
LarderIterator returns each lasting key once while others store, delete, evict and clear
--FILE--
<?php
require __DIR__ . '/../support.inc';
own_cache(['larder.size' => '8M']);

const KEYS = 1000;
for ($i = 0; $i < KEYS; $i++) {
    larder_store("still:$i", "value $i");
    larder_store("replaced:$i", "value $i");
    larder_fetch("still:$i");
    larder_fetch("still:$i");
}
$go_on = 'while (larder_info(false)["available"] && !larder_exists("stop"))'; // also ends when the test was killed and its segment removed
foreach ([
    $go_on . ' { $i = random_int(0, 999); larder_replace("replaced:$i", str_repeat("x", $i)); }',
    $go_on . ' { $i = random_int(0, 999); larder_delete("flickering:$i"); larder_store("flickering:$i", $i); }',
    $go_on . ' { for ($i = 0; $i < 100; $i++) { larder_store("filler:" . random_int(0, 99999), str_repeat("x", 700)); } }',
    $go_on . ' { for ($i = 0; $i < 300; $i++) { larder_store("cleared:$i", 1); } larder_delete_prefix("cleared:"); }',
] as $code) {
    $processes[] = proc_open([...php_command(), '-r', $code], [], $pipes);
}

function walk(string $prefix): array
{
    $times = [];
    foreach (new LarderIterator($prefix) as $key => $info) {
        $times[$key] = ($times[$key] ?? 0) + 1;
    }
    foreach (array_filter($times, fn ($times) => $times > 1) as $key => $times_given) {
        echo "$key was given $times_given times\n";
    }

    return $times;
}

$stayed = $seen = 0;
$end = microtime(true) + 2;
do {
    foreach (['still:', 'replaced:', 'flickering:', 'cleared:', ''] as $prefix) {
        $times = walk($prefix);
        $seen += count($times);
        foreach ($prefix === 'still:' || $prefix === 'replaced:' ? range(0, KEYS - 1) : [] as $i) {
            // nobody stores it when it is not there: so it was there all the time
            if (larder_exists($prefix . $i)) {
                $stayed++;
                echo isset($times[$prefix . $i]) ? '' : "$prefix$i was not given\n";
            }
        }
    }
} while (microtime(true) < $end);
// now everything at once
foreach (new LarderIterator() as $key => $info) {
    if ($key === 'stop') {
        echo "stop was there\n";
    }
}
do {
    larder_store('stop', 1);
    usleep(50_000);
    larder_store('stop', 1);
    $running = array_filter($processes, fn ($process) => proc_get_status($process)['running']);
} while ($running !== []);
var_dump($stayed > 0, $seen > $stayed);
larder_clear();
var_dump(iterator_count(new LarderIterator()));
?>
--EXPECT--
bool(true)
bool(true)
int(0)

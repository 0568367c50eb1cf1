--TEST--
No update by larder_store_cas() is lost among four processes; by larder_store() some are
--FILE--
<?php
require __DIR__ . '/../support.inc';
own_cache(['larder.size' => '8M']);

// A value is [name, count]; when it was evicted, another name begins. Each process says how often it added to which
// name, and the largest count that it stored there: over all processes these have to be the same.
const ADD = '
    $told = [];
    for ($end = microtime(true) + 1.5; microtime(true) < $end;) {
        $value = larder_fetch_cas("sum", null, $cas);
        if ($cas === null) {
            larder_add("sum", [bin2hex(random_bytes(4)), 0]);
            continue;
        }
        $value[1]++;
        if (%s) {
            $told[$value[0]] = [($told[$value[0]][0] ?? 0) + 1, $value[1]];
        }
    }
    echo json_encode($told);';
const FILL = '
    for ($end = microtime(true) + 1.5, $i = 0; microtime(true) < $end; $i++) {
        larder_store("filler " . $i % 3000, str_repeat("x", 8000));
        larder_fetch("filler " . $i % 100);
    }';

function together(string $store): void
{
    $add = sprintf(ADD, $store);
    foreach ([$add, $add, $add, $add, FILL] as $number => $code) {
        $command = [...php_command(), '-d', 'larder.zero_copy=' . $number % 2, '-r', $code];
        $processes[] = proc_open($command, [1 => ['pipe', 'w']], $pipes[$number]);
    }
    $added = $largest = [];
    foreach ($processes as $number => $process) {
        foreach (json_decode(stream_get_contents($pipes[$number][1]), true) ?? [] as $name => [$times, $count]) {
            $added[$name] = ($added[$name] ?? 0) + $times;
            $largest[$name] = max($largest[$name] ?? 0, $count);
        }
        proc_close($process);
    }
    $lost = array_sum($added) - array_sum($largest);
    echo array_sum($added) > 100 ? 'added, ' : 'not added, ', $lost === 0 ? "nothing lost\n" : "some lost\n";
}

together('larder_store_cas("sum", $value, $cas)');
together('larder_store("sum", $value)');
?>
--EXPECT--
added, nothing lost
added, some lost

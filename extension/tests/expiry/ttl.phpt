--TEST--
A value expires after its ttl; 0 means never, fractions count
--FILE--
<?php
require __DIR__ . '/../support.inc';
own_cache();

larder_store('forever', 'f');
larder_store('also forever', 'f', 0);
larder_store('0.0', 'f', 0.0);
larder_store('seconds', 's', 60);
larder_store('fraction', ['in' => 'f'], 0.25);
larder_store('very long', 'l', PHP_INT_MAX);
larder_store('endless', 'e', INF);
larder_store('tiny', 't', 1e-9);
larder_store_multiple(['many 1' => 1, 'many 2' => 'two'], 0.25);
larder_add('added', 'a', 0.25);
larder_increment('counter', 5, 0.25);

function there(string ...$keys): void
{
    echo implode(' ', array_map(fn ($key) => "$key:" . (int) larder_exists($key) . (int) (larder_fetch($key, 'missing') !== 'missing'), $keys)), "\n";
}
there('forever', 'also forever', '0.0', 'seconds', 'fraction', 'very long', 'endless', 'many 1', 'many 2', 'added', 'counter');
$held = larder_fetch('fraction');
usleep(350000);
there('forever', 'also forever', '0.0', 'seconds', 'fraction', 'very long', 'endless', 'many 1', 'many 2', 'added', 'counter', 'tiny');
echo $held['in'], "\n";

// what has expired is not there for anybody
var_dump(larder_replace('fraction', 'x'), larder_touch('many 1', 5), larder_cas('counter', 5, 6), larder_delete('added'));
var_dump(larder_add('fraction', 'again'), larder_fetch('fraction'), larder_increment('counter', 2), larder_fetch('counter'));
echo other_process('var_dump(larder_fetch("many 2", "missing"), larder_fetch("seconds"));');

// a store without a ttl takes the old one away
larder_store('short', 1, 0.1);
larder_store('short', 2);
usleep(200000);
var_dump(larder_fetch('short'));

foreach ([-1, -0.5, NAN, -INF] as $ttl) {
    foreach (['larder_store' => ['k', 1, $ttl], 'larder_add' => ['k', 1, $ttl], 'larder_replace' => ['k', 1, $ttl], 'larder_touch' => ['k', $ttl], 'larder_increment' => ['k', 1, $ttl], 'larder_decrement' => ['k', 1, $ttl], 'larder_store_multiple' => [['k' => 1], $ttl]] as $function => $arguments) {
        try {
            $function(...$arguments);
            echo "$function took $ttl\n";
        } catch (ValueError $e) {
            $messages[$e->getMessage()] = true;
        }
    }
}
echo implode("\n", array_keys($messages)), "\n";
var_dump(larder_fetch('k', 'nothing'));
?>
--EXPECT--
forever:11 also forever:11 0.0:11 seconds:11 fraction:11 very long:11 endless:11 many 1:11 many 2:11 added:11 counter:11
forever:11 also forever:11 0.0:11 seconds:11 fraction:00 very long:11 endless:11 many 1:00 many 2:00 added:00 counter:00 tiny:00
f
bool(false)
bool(false)
bool(false)
bool(false)
bool(true)
string(5) "again"
int(2)
int(2)
string(7) "missing"
string(1) "s"
int(2)
larder_store(): Argument #3 ($ttl) must be greater than or equal to 0
larder_add(): Argument #3 ($ttl) must be greater than or equal to 0
larder_replace(): Argument #3 ($ttl) must be greater than or equal to 0
larder_touch(): Argument #2 ($ttl) must be greater than or equal to 0
larder_increment(): Argument #3 ($ttl) must be greater than or equal to 0
larder_decrement(): Argument #3 ($ttl) must be greater than or equal to 0
larder_store_multiple(): Argument #2 ($ttl) must be greater than or equal to 0
string(7) "nothing"

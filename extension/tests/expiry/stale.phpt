--TEST--
A value may be kept for longer than its ttl, and is recomputed early at random
--FILE--
<?php
require __DIR__ . '/../support.inc';
own_cache();

/** Without the token, which is another each time. */
function entry(string $key): string
{
    $entry = larder_fetch_entry($key);
    if ($entry === null) {
        return 'none';
    }
    if (array_keys($entry) !== ['value', 'ttl', 'stale', 'cost', 'cas'] || !is_int($entry['cas']) || !is_float($entry['ttl']) || !is_float($entry['stale']) || !is_float($entry['cost'])) {
        return 'another shape';
    }

    return sprintf('%s ttl %d stale %d cost %.4f', serialize($entry['value']), round($entry['ttl'], 1), round($entry['stale'], 1), $entry['cost']);
}

echo "-- every kind of value\n";
$values = ['null' => null, 'false' => false, 'true' => true, 'integer' => 5, 'float' => 0.5, 'empty' => '', 'character' => 'x', 'string' => 'text', 'no array' => [], 'array' => [1, ['a' => 'b']], 'object' => new ArrayObject([1]), 'long' => str_repeat('long', 50000)];
foreach (['1', '0'] as $zeroCopy) {
    ini_set('larder.zero_copy', $zeroCopy);
    foreach ($values as $name => $value) {
        larder_store($name, $value, 0.03, 60, 0.0012);
        for ($i = 0; $i < 10; ++$i) {
            larder_fetch($name);
        }
        while (larder_exists($name)) {
            usleep(1000);
        }
        for ($i = 0; $i < 10; ++$i) {
            $entry = larder_fetch_entry($name);
            if (larder_fetch($name, 'default') !== 'default' || larder_fetch_fresh($name, 'default') !== 'default' || $entry === null
                || !same($entry['value'], $value) || $entry['ttl'] >= 0.0 || $entry['stale'] !== 60.0 || $entry['cost'] !== 0.0012) {
                echo "$name is not stale\n";
            }
        }
        if (larder_store_cas($name, 'new', $entry['cas'] + 2) || !larder_store_cas($name, $value, $entry['cas'], 60, 5, 1.5)
            || larder_store_cas($name, 'new', $entry['cas']) || !same(larder_fetch($name), $value)) {
            echo "$name is not replaced\n";
        }
        if (!same(larder_fetch_fresh($name, 'default', 0.0), $value) || larder_fetch_entry($name)['cost'] !== 1.5 || larder_fetch_entry($name)['stale'] !== 5.0) {
            echo "$name is not fresh\n";
        }
    }
}

echo "-- what is known of it\n";
larder_store('plain', 1);
larder_store('ttl', 2, 60);
larder_store('stale', 3, 60, 30);
larder_store('cost', 4, 60, 0, 0.25);
larder_store('no ttl', 5, 0, 30, 0.25);
larder_store('cheap', 6, 60, 0, 0.00001);
larder_store('dear', 7, 60, 1, 1e9);
larder_store('long', 8, 60, INF);
foreach (['plain', 'ttl', 'stale', 'cost', 'no ttl', 'cheap', 'dear', 'none'] as $key) {
    echo $key, ': ', entry($key), ', ', larder_key_info($key)['size'] ?? 0, " bytes\n";
}
var_dump(larder_fetch_entry('long')['stale'] > 3e8);
larder_touch('stale', 100);
echo entry('stale'), "\n";
larder_touch('stale', 0);
echo entry('stale'), "\n";

echo "-- its key does not exist\n";
larder_store('a', 1, 0.001, 60);
usleep(10_000);
var_dump(larder_exists('a'), larder_key_info('a'), larder_touch('a', 5), larder_replace('a', 2), larder_cas('a', 1, 2));
var_dump(in_array('a', array_keys(iterator_to_array(new LarderIterator())), true), entry('a'));
var_dump(larder_add('a', 3), larder_fetch('a'));
larder_store('a', 1, 0.001, 60);
usleep(10_000);
var_dump(larder_increment('a', 7), larder_fetch('a'));
larder_store('a', 1, 0.001, 60);
usleep(10_000);
var_dump(larder_delete('a'), entry('a'));

echo "-- gone\n";
larder_store('a', 1, 0.001, 0.001);
usleep(20_000);
var_dump(entry('a'));

echo "-- early\n";
/** How many of 2,000 fetches are early. */
function early(float $ttl, float $cost, float ...$beta): int
{
    larder_store('early', ['a value'], $ttl, 60, $cost);
    $early = 0;
    for ($i = 0; $i < 2000; ++$i) {
        $early += larder_fetch_fresh('early', 'default', ...$beta) === 'default' ? 1 : 0;
    }

    return $early;
}
// e^-1 of them are 736, e^-0.5 1,213; a tenth of that is over four standard deviations
foreach ([[100, 0.0], [100, 2.0], [100, 100.0, 0.0], [100, 100.0], [100, 100.0, 1.0], [100, 50.0, 2.0], [100, 100.0, 2.0], [100, 0.001, INF]] as $arguments) {
    $early = early(...$arguments);
    echo match (true) {
        abs($early - 736) < 120 => 'e^-1',
        abs($early - 1213) < 120 => 'e^-0.5',
        default => $early,
    }, "\n";
}
larder_store('plain', 'value', 1);
var_dump(larder_fetch_fresh('plain', 'default', INF)); // nothing is known of its cost

echo "-- counted\n";
larder_store('fresh', 'value', 60, 60, 0.001);
larder_store('stale', 'value', 0.001, 60);
usleep(10_000);
$before = larder_info(false);
larder_fetch_fresh('fresh');
larder_fetch_fresh('stale');
larder_fetch_fresh('none');
larder_fetch_entry('fresh');
larder_fetch_entry('none');
$after = larder_info(false);
var_dump($after['hits'] - $before['hits'], $after['misses'] - $before['misses']);

/** What a call counts. */
function counted(Closure $call): string
{
    $before = larder_info(false);
    $call();
    $after = larder_info(false);

    return $after['hits'] - $before['hits'] . ' ' . $after['misses'] - $before['misses'] . ' ' . $after['unreadable'] - $before['unreadable'];
}
class Broken
{
    public function __wakeup() { throw new Exception(); }
}
larder_store("\0own", 'a library\'s');
larder_store("\0broken", new Broken());
larder_store('broken', new Broken());
larder_store('guard', [1]);
larder_store('guardkey', [1, 'value']);
larder_store('guardother', [2, 'value']);
larder_store('guardbroken', [1, new Broken()]);
foreach ([
    fn() => larder_fetch('fresh'), fn() => larder_fetch('none'), fn() => larder_fetch('broken'),
    fn() => larder_fetch("\0own"), fn() => larder_fetch("\0none"), fn() => larder_fetch("\0broken"), fn() => larder_fetch_multiple(["\0own", 'fresh', 'none']),
    fn() => larder_fetch_cas("\0own"), fn() => larder_fetch_fresh("\0own"), fn() => larder_exists('fresh'),
    fn() => larder_fetch_if('key', 'guard'), fn() => larder_fetch_if('other', 'guard'), fn() => larder_fetch_if('none', 'guard'), fn() => larder_fetch_if('key', 'none'), fn() => larder_fetch_if('broken', 'guard'), fn() => larder_fetch_if('key', 'broken'),
] as $call) {
    foreach (['1', '0'] as $zeroCopy) {
        ini_set('larder.zero_copy', $zeroCopy);
        echo counted($call), $zeroCopy ? ', ' : "\n";
    }
}

echo "-- arguments\n";
foreach ([
    fn() => larder_store('k', 1, 1, -1), fn() => larder_store('k', 1, 1, 0, -1), fn() => larder_store('k', 1, 1, NAN), fn() => larder_store('k', 1, 1, 0, NAN),
    fn() => larder_store_cas('k', 1, 1, 1, -1), fn() => larder_fetch_fresh('', 1), fn() => larder_fetch_fresh('k', 1, -1), fn() => larder_fetch_fresh('k', 1, NAN),
    fn() => larder_fetch_fresh([]), fn() => larder_fetch_fresh('k', 1, 'x'), fn() => larder_fetch_fresh(), fn() => larder_fetch_entry(''), fn() => larder_add('k', 1, 1, 1),
] as $wrong) {
    try {
        var_dump($wrong());
    } catch (Error $error) {
        echo $error->getMessage(), "\n";
    }
}
var_dump(larder_fetch_fresh(12, beta: 1), larder_store('k', 1, null, stale: 5, cost: 1));
?>
--EXPECT--
-- every kind of value
-- what is known of it
plain: i:1; ttl 0 stale 0 cost 0.0000, 64 bytes
ttl: i:2; ttl 60 stale 0 cost 0.0000, 64 bytes
stale: i:3; ttl 60 stale 30 cost 0.0000, 72 bytes
cost: i:4; ttl 60 stale 0 cost 0.2500, 72 bytes
no ttl: i:5; ttl 0 stale 0 cost 0.0000, 64 bytes
cheap: i:6; ttl 60 stale 0 cost 0.0001, 72 bytes
dear: i:7; ttl 60 stale 1 cost 3355.4431, 72 bytes
none: none, 0 bytes
bool(true)
i:3; ttl 100 stale 30 cost 0.0000
i:3; ttl 0 stale 0 cost 0.0000
-- its key does not exist
bool(false)
NULL
bool(false)
bool(false)
bool(false)
bool(false)
string(31) "i:1; ttl 0 stale 60 cost 0.0000"
bool(true)
int(3)
int(7)
int(7)
bool(false)
string(4) "none"
-- gone
string(4) "none"
-- early
0
0
0
e^-1
e^-1
e^-1
e^-0.5
2000
string(5) "value"
-- counted
int(2)
int(1)
1 0 0, 1 0 0
0 1 0, 0 1 0
0 1 1, 0 1 1
0 0 0, 0 0 0
0 0 0, 0 0 0
0 0 0, 0 0 0
1 1 0, 1 1 0
0 0 0, 0 0 0
0 0 0, 0 0 0
0 0 0, 0 0 0
1 0 0, 1 0 0
0 1 0, 0 1 0
0 1 0, 0 1 0
0 1 0, 0 1 0
0 1 1, 0 1 1
0 1 1, 0 1 1
-- arguments
larder_store(): Argument #4 ($stale) must be greater than or equal to 0
larder_store(): Argument #5 ($cost) must be greater than or equal to 0
larder_store(): Argument #4 ($stale) must be greater than or equal to 0
larder_store(): Argument #5 ($cost) must be greater than or equal to 0
larder_store_cas(): Argument #5 ($stale) must be greater than or equal to 0
larder_fetch_fresh(): Argument #1 ($key) must be between 1 and 65535 bytes long
larder_fetch_fresh(): Argument #3 ($beta) must be greater than or equal to 0
larder_fetch_fresh(): Argument #3 ($beta) must be greater than or equal to 0
larder_fetch_fresh(): Argument #1 ($key) must be of type string, array given
larder_fetch_fresh(): Argument #3 ($beta) must be of type float, string given
larder_fetch_fresh() expects at least 1 argument, 0 given
larder_fetch_entry(): Argument #1 ($key) must be between 1 and 65535 bytes long
larder_add() expects at most 3 arguments, 4 given
NULL
bool(true)

--TEST--
LarderIterator returns all keys, or those with a prefix
--FILE--
<?php
require __DIR__ . '/../support.inc';
own_cache();

function keys(iterable $iterator): string
{
    $keys = [];
    foreach ($iterator as $key => $info) {
        $keys[] = json_encode($key);
    }
    sort($keys);

    return implode(' ', $keys) . "\n";
}
echo keys(new LarderIterator());
larder_store_multiple(['user:1' => 1, 'user:2' => 'two', 'user:x' => [3], 'use' => 1, 12 => 'digits', "\0" => 1, str_repeat('k', 65535) => 1]);
larder_store('user:expired', 1, 0.01);
larder_delete('use');
usleep(20_000);
echo keys(new LarderIterator('user:'));
echo keys(new LarderIterator('1')), keys(new LarderIterator("\0\0")), keys(new LarderIterator('user:none'));
var_dump(iterator_count(new LarderIterator()));
echo keys(new RegexIterator(new LarderIterator('user:'), '/^user:\d+$/', RegexIterator::MATCH, RegexIterator::USE_KEY));
foreach (new LarderIterator('user:') as $key => $info) {
    if ($info != larder_key_info($key)) {
        var_dump($info);
    }
}

// neither counted nor a use: what is only listed is evicted first
$before = larder_info(false);
foreach (new LarderIterator('user:') as $key => $info) {
    if ($info['used'] || larder_key_info($key)['used']) {
        echo "$key is used\n";
    }
}
$then = larder_info(false);
if ($then['hits'] !== $before['hits'] || $then['misses'] !== $before['misses']) {
    echo "listing counts\n";
}
larder_fetch('user:x');
if (!larder_key_info('user:x')['used']) {
    echo "fetching is no use\n";
}

// by hand, and again; one begins when it is first asked
$iterator = new LarderIterator('user:2');
larder_store('user:23', 1);
var_dump($iterator->valid(), strlen($iterator->key()) > 5, $iterator->current()['ttl']);
$iterator->next();
$iterator->next();
$iterator->next();
var_dump($iterator->valid(), $iterator->key(), $iterator->current());
larder_delete('user:23');
$iterator->rewind();
var_dump($iterator->key());
$unfinished = new LarderIterator();
$unfinished->next();
var_dump(iterator_count(new LimitIterator(new LarderIterator(), 2, 3)));

// what is done to the cache within the loop
foreach (new LarderIterator('user:') as $key => $info) {
    larder_delete($key);
}
echo keys(new LarderIterator('user:'));
foreach (new LarderIterator() as $key => $info) {
    larder_clear();
    $after[] = $key;
}
var_dump(count($after));

foreach ([
    'cloned' => fn () => clone $iterator,
    'serialized' => fn () => serialize($iterator),
    'given a property' => fn () => $iterator->property = 1,
] as $what => $call) {
    try {
        $call();
        echo "$what\n";
    } catch (Throwable $e) {
        echo $e->getMessage(), "\n";
    }
}
$iterator->__construct('another');
var_dump($iterator->valid());

// kept over the end of the cache in this process
larder_store('kept', 1);
$GLOBALS['kept'] = new LarderIterator();
$GLOBALS['kept']->rewind();
?>
--EXPECT--

"user:1" "user:2" "user:x"
"12"


int(6)
"user:1" "user:2"
bool(true)
bool(true)
float(0)
bool(false)
NULL
NULL
string(6) "user:2"
int(3)

int(1)
Trying to clone an uncloneable object of class LarderIterator
Serialization of 'LarderIterator' is not allowed
Cannot create dynamic property LarderIterator::$property
bool(false)

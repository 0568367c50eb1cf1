--TEST--
APCUIterator returns the values that apcu_fetch() returns, and reading them counts
--INI--
apc.enable_cli=1
larder.segment=iterator-values
--FILE--
<?php
apcu_clear_cache();
$values = ['empty' => '', 'character' => 'x', 'string' => 'some text', 'utf-8' => 'é', 'bytes' => "\xff\0", 'integer' => 7, 'float' => 0.5, 'null' => null,
    'false' => false, 'list' => [1, [2]], 'object' => new ArrayObject(['a']), 'serialized' => serialize(1)];
foreach ([4063, 4064, 4065, 4071, 4072, 4073, 5000, 100_000] as $length) { // around those that are copied
    $values["length $length"] = str_repeat('t', $length);
}
apcu_store($values);
$seen = [];
foreach (new APCUIterator(null, APC_ITER_VALUE) as $key => $item) {
    $item['value'] = $item['value']; // an array of its own
    $seen[$key] = $item['value'];
    if (is_string($seen[$key])) {
        $seen[$key] .= '';
        apcu_store($key, "another\0value");
    }
}
ksort($seen);
ksort($values);
var_dump($seen == $values, array_map(gettype(...), $seen) === array_map(gettype(...), $values));

echo "hits\n";
function hits(): float
{
    return apcu_cache_info(true)['num_hits'];
}
function hits_of(callable $call): void
{
    $before = hits();
    $call();
    echo hits() - $before, "\n";
}
apcu_clear_cache();
apcu_store(['a' => 'text', 'b' => 'text', 'c' => 'text', 'other' => 'text']);
hits_of(fn() => iterator_to_array(new APCUIterator(null, APC_ITER_KEY)));
var_dump(apcu_key_info('a')['hits']);
hits_of(fn() => iterator_to_array(new APCUIterator('/^(a|b)$/', APC_ITER_VALUE)));
var_dump(apcu_key_info('a')['hits'], apcu_key_info('c')['hits']);
hits_of(fn() => iterator_to_array(new APCUIterator('/^c/', APC_ITER_VALUE)));
var_dump(apcu_key_info('c')['hits'], apcu_key_info('other')['hits']);
hits_of(fn() => (new APCUIterator())->getTotalCount());
$iterator = new APCUIterator();
hits_of(fn() => $iterator->valid());
hits_of(fn() => apcu_delete($iterator)); // the rest
var_dump((new APCUIterator())->getTotalCount());
apcu_store("\0k", 'text');
hits_of(fn() => [apcu_fetch("\0k"), apcu_fetch("\0none")]);
?>
--EXPECT--
bool(true)
bool(true)
hits
0
int(0)
2
int(1)
int(0)
1
int(1)
int(0)
0
1
0
int(1)
1

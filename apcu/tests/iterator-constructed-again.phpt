--TEST--
Destructors of an iterator's item may construct the iterator, and keep it
--INI--
apc.enable_cli=1
larder.segment=iterator-constructed-again
--FILE--
<?php
final class Last
{
    public static ?Closure $call = null;

    public function __destruct()
    {
        [$call, self::$call] = [self::$call, null];
        if ($call) {
            $call();
        }
    }
}
apcu_clear_cache();
apcu_store(['prefix:1' => new Last(), 'other:1' => 1, 'other:2' => 2]);
/** An iterator at the object, which goes with the item. */
function at_object(): APCUIterator
{
    $it = new APCUIterator('/^prefix:/', APC_ITER_VALUE);
    $it->rewind();

    return $it;
}
function keys(APCUIterator $it): string
{
    $keys = [];
    for (; $it->valid(); $it->next()) {
        $keys[] = $it->key();
    }
    sort($keys);

    return implode(' ', $keys);
}

$it = at_object();
Last::$call = fn() => $it->__construct('/^other:' . str_repeat('(?=.)', 50) . '/');
$it->rewind();
echo keys($it), "\n";

$used = [];
for ($round = 0; $round < 4; $round++) {
    $it = at_object();
    Last::$call = function () use ($it) {
        $it->__construct(['other:1']);
        $it->rewind();
    };
    $it->__construct(['other:1', 'other:2']);
    $said = keys($it);
    $it = null;
    $used[] = memory_get_usage();
}
var_dump($said, $used[3] - $used[1] < 1000);

$kept = null;
$it = at_object();
$reference = WeakReference::create($it);
Last::$call = function () use ($reference, &$kept) { $kept = $reference->get(); };
$it = null;
var_dump($kept);
?>
--EXPECT--
other:1 other:2
string(15) "other:1 other:2"
bool(true)
NULL

--TEST--
An iterator may be called by code that runs while it reads or releases an item
--INI--
apc.enable_cli=1
larder.segment=iterator-called-meanwhile
--FILE--
<?php
apcu_clear_cache();
final class Caller
{
    public static ?Closure $call = null;
    public static ?Closure $last = null;

    public function __construct(public string $text) {}

    public function __wakeup(): void
    {
        [$call, self::$call] = [self::$call, null];
        if ($call) {
            $call();
        }
    }

    public function __destruct()
    {
        [$call, self::$last] = [self::$last, null];
        if ($call) {
            $call();
        }
    }
}
foreach (range(1, 10) as $i) {
    apcu_store("k$i", new Caller(str_repeat("$i", 50_000)));
}

$calls = [
    'next' => fn(APCUIterator $it) => $it->next(),
    'rewind' => fn(APCUIterator $it) => $it->rewind(),
    'current' => fn(APCUIterator $it) => $it->valid() && $it->current(),
    'construct' => fn(APCUIterator $it) => $it->__construct(null, APC_ITER_KEY),
    'construct with an expression' => fn(APCUIterator $it) => $it->__construct('/k[1-5]/', APC_ITER_ALL),
    'delete' => fn(APCUIterator $it) => apcu_delete($it) || true,
    'totals' => fn(APCUIterator $it) => $it->getTotalSize(),
];
function walk(APCUIterator $it): int
{
    $n = 0;
    for ($it->rewind(); $it->valid() && $n < 100; $it->next()) {
        $item = $it->current();
        $n += isset($item['key']) || isset($item['value']);
        unset($item);
    }

    return $n;
}
foreach ($calls as $name => $call) {
    $used = [];
    for ($round = 0; $round < 4; $round++) {
        foreach (range(1, 10) as $i) {
            apcu_exists("k$i") || apcu_store("k$i", new Caller(str_repeat("$i", 50_000)));
        }
        foreach (['call', 'last'] as $when) {
            $it = new APCUIterator(null, APC_ITER_KEY | APC_ITER_VALUE);
            Caller::${$when} = fn() => $call($it);
            $n = walk($it);
            if (Caller::${$when} !== null || $n > 20) {
                echo "$name, $when: $n\n";
            }
            $it = null;
        }
        $used[] = memory_get_usage();
    }
    echo $name, ': ', max($used) - $used[0] < 40_000 ? 'released' : 'grows by ' . ($used[3] - $used[0]), "\n";
}

// The last one goes after PHP has freed its expressions.
final class Holder
{
    public static mixed $it;
}
Holder::$it = [new APCUIterator('/[k]/')];
Holder::$it[] = &Holder::$it;
?>
--EXPECT--
next: released
rewind: released
current: released
construct: released
construct with an expression: released
delete: released
totals: released

--TEST--
Objects that were given the same data do not share what they change; a fetch leaves the cycle collector nothing
--FILE--
<?php
require __DIR__ . '/../support.inc';

/** ArrayObject writes into the array that it is given, if nobody else has it. */
class Bag extends ArrayObject
{
    public function __serialize(): array
    {
        return [0, ['a'], [], null]; // the same array each time
    }

    public function __unserialize(array $data): void
    {
        parent::__unserialize($data);
        $this[] = 'x';
    }
}
class Row
{
    public array $list = [];
}

$rows = [];
for ($i = 0; $i < 500; $i++) {
    $rows[] = $row = new Row();
    $row->list = [$i, "$i"];
}
own_cache();
foreach (['0' => ['larder.compact' => '0'], 'compact' => ['larder.compact' => '1']] as $form) {
    foreach ($form as $name => $value) {
        ini_set($name, $value);
    }
    larder_store('bags', [new Bag(), new Bag()]);
    foreach (larder_fetch('bags') as $bag) {
        echo json_encode($bag->getArrayCopy()), "\n";
    }
    larder_store('rows', $rows);
    gc_collect_cycles();
    $before = gc_status()['roots'];
    $fetched = larder_fetch('rows');
    $added = gc_status()['roots'] - $before; // a comparison adds some from PHP 8.4 on
    var_dump($fetched == $rows, $added < 100);
    unset($fetched);
}
?>
--EXPECT--
["a","x"]
["a","x"]
bool(true)
bool(true)
["a","x"]
["a","x"]
bool(true)
bool(true)

--TEST--
A fetched value is kept in SPL's data structures
--FILE--
<?php
require __DIR__ . '/../anything.inc';

$fixed = SplFixedArray::fromArray(stored('numbers'));
$fixed[0] = 'changed';
$fixed = SplFixedArray::fromArray(stored('rows'), false);
$fixed[1] = null;
$array = $fixed->toArray();
$array[2]['name'] = 'changed';
$fixed->setSize(3);
$queue = new SplQueue();
$stack = new SplStack();
$heap = new SplMinHeap();
$priority = new SplPriorityQueue();
foreach (stored('strings') as $i => $string) {
    $queue[] = $string;
    $stack->push($string);
    $heap->insert([$string, stored('rows')[0]]);
    $priority->insert(stored('rows'), $string);
}
$queue[0] .= '!';
$top = $stack->pop();
$top[0] = 'X';
$least = $heap->extract();
$least[1]['name'] = 'changed';
$rows = $priority->extract();
$rows[0]['tags'][] = 1;
$storage = new SplObjectStorage();
$storage[$queue] = stored('map');
$info = $storage[$queue];
$info['alpha'][] = 1;
$list = new SplDoublyLinkedList();
$list->push(stored('list'));
$list->setIteratorMode(SplDoublyLinkedList::IT_MODE_DELETE);
foreach ($list as $value) {
    $value[] = 1;
}
$map = new WeakMap();
$map[$queue] = stored('rows');
$map[$queue][0]['name'] = 'changed';

unchanged();
?>
--EXPECT--
unchanged

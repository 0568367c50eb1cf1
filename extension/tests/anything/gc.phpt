--TEST--
A fetched value is held in garbage that is collected
--FILE--
<?php
require __DIR__ . '/../anything.inc';

class Node
{
    public array $children = [];
    public ?Node $parent = null;
    public mixed $value = null;
}
for ($i = 0; $i < 300; $i++) {
    $node = new Node();
    $node->value = stored('rows');
    $node->children[] = $child = new Node();
    $child->parent = $node;
    $child->value = stored('text');
    $node->children[] = stored('map');
    $array = ['rows' => stored('rows')];
    $array['self'] = &$array;
    unset($array);
    if ($i % 100 === 0) {
        gc_collect_cycles();
    }
}
gc_collect_cycles();
$weak = WeakReference::create($node);
unset($node, $child);
gc_collect_cycles();
$weak->get();
gc_disable();
gc_enable();
gc_mem_caches();
gc_status();
memory_get_peak_usage();

unchanged();
?>
--EXPECT--
unchanged

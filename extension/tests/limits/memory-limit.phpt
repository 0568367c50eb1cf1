--TEST--
Reaching memory_limit while a value is copied harms neither the cache nor the request end
--FILE--
<?php
require __DIR__ . '/../support.inc';
own_cache(['larder.size' => '128M']);

$value = array_map(fn (int $i) => ['id' => $i, 'text' => "this is the text of row $i"], range(1, 12000));
var_dump(larder_store('value', $value), larder_store('string', str_repeat('x', 5 << 20)), larder_store('object', [new ArrayObject($value)]));
foreach (['value', 'string', 'object'] as $key) {
    echo other_process('
        ini_set("larder.zero_copy", "0");
        register_shutdown_function(function () {
            larder_store("from the end", [1, 2]);
            var_dump(larder_fetch("from the end") === [1, 2]);
        });
        larder_fetch("' . $key . '");
        echo "fetched\n";
    ', ['memory_limit' => '4M']);
    larder_delete('from the end');
}
// pointing needs no memory
echo other_process('var_dump(count(larder_fetch("value")), strlen(larder_fetch("string")));', ['memory_limit' => '4M']);
var_dump(larder_fetch('value') === $value);
// measuring and encoding need none of PHP's either
echo other_process('
    $list = larder_fetch("value");
    ini_set("memory_limit", "4M");
    var_dump(larder_store("again", $list), larder_fetch("again") === $list);
');
?>
--EXPECTF--
bool(true)
bool(true)
bool(true)

Fatal error: Allowed memory size of %d bytes exhausted%S (tried to allocate %d bytes) in %s on line %d
bool(true)
[exit code 255]

Fatal error: Allowed memory size of %d bytes exhausted%S (tried to allocate %d bytes) in %s on line %d
bool(true)
[exit code 255]

Fatal error: Allowed memory size of %d bytes exhausted%S (tried to allocate %d bytes) in %s on line %d
bool(true)
[exit code 255]
int(12000)
int(5242880)
bool(true)
bool(true)
bool(true)

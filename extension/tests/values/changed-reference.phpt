--TEST--
A value behind a reference is stored as it was when the call began, though a method assigns another meanwhile
--FILE--
<?php
require __DIR__ . '/../support.inc';
own_cache();

class Assigns
{
    public function __serialize(): array
    {
        $GLOBALS['value'] = null;
        $GLOBALS['others'] = array_map(fn ($i) => [1, 2, 3, 4, $i], range(1, 50)); // where the array was
        return [];
    }

    public function __unserialize(array $data): void {}
}

foreach (['auto', 'php', 'igbinary'] as $serializer) {
    ini_set('larder.serializer', $serializer);
    $value = [new Assigns(), str_repeat('text', mt_rand(5, 5)), new Assigns(), (object) ['a' => mt_rand(7, 7)]];
    echo json_encode(larder_store_multiple(['k' => &$value])), ' ', json_encode(larder_fetch('k')), "\n";

    $value = [new Assigns(), fn () => 1];
    try {
        larder_store_multiple(['k' => &$value]);
    } catch (Exception $e) {
        echo $e->getMessage(), "\n";
    }
}
?>
--EXPECT--
[] [{},"texttexttexttexttext",{},{"a":7}]
Serialization of 'Closure' is not allowed
[] [{},"texttexttexttexttext",{},{"a":7}]
Serialization of 'Closure' is not allowed
[] [{},"texttexttexttexttext",{},{"a":7}]
Serialization of 'Closure' is not allowed

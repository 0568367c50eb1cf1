--TEST--
A fetched string names properties, methods and variables
--FILE--
<?php
require __DIR__ . '/../anything.inc';

$object = new stdClass();
$object->{stored('word')} = 1;
$object->{stored('text')} = stored('rows');
$object->{stored('text')}[0]['name'] = 'changed';
$object->{stored('number')} = 2;
isset($object->{stored('word')}) || print "not set\n";
unset($object->{stored('word')});
property_exists($object, stored('text')) || print "not there\n";
foreach ($object as $name => $value) {
    $names[] = $name;
}
$names[0] .= '!';
${$names[0]} = stored('text');
${stored('word')} = stored('rows');
$word[0]['name'] = 'changed';

class Named
{
    public static array $word = [];
    public string $text = '';

    public function strtoupper(string $of): string
    {
        return $of;
    }
}
Named::${stored('word')}[] = stored('text');
Named::${stored('word')}[0] .= '!';
$named = new Named();
$result = $named->{stored('function')}(stored('text'));
$result .= '!';
$callable = [$named, stored('function')];
$callable(stored('text'));
(new ReflectionProperty($named, 'text'))->setValue($named, stored('text'));
(new ReflectionMethod($named, stored('function')))->invokeArgs($named, [stored('long')]);
$named->text[0] = 'X';
$std = json_decode(stored('json'))[0];
$std->{stored('text')} = stored('json');
$array = get_object_vars($object);
$array[stored('text')][1]['name'] = 'changed';
(object) [stored('word') => stored('text')];

unchanged();
?>
--EXPECT--
unchanged

--TEST--
A fetched value becomes an object's properties
--FILE--
<?php
require __DIR__ . '/../anything.inc';

$object = (object) stored('map');
$object->alpha[] = 'more';
$object->beta .= '!';
unset($object->gamma);
$object->{stored('word')} = stored('rows');
$object->{stored('word')}[0]['name'] = 'changed';
foreach ($object as $name => &$property) {
    $property = 'changed';
}
unset($property);

#[AllowDynamicProperties]
class Holder
{
    public ?array $typed = null;
    public readonly array $readonly;
    public mixed $text = '';

    public function __construct()
    {
        $this->readonly = stored('rows');
    }

    public function __get(string $name): mixed
    {
        return stored('map')[$name] ?? $name;
    }

    public function __set(string $name, mixed $value): void
    {
        $this->typed[$name] = $value;
    }
}
$holder = new Holder();
$holder->typed = stored('map');
$holder->typed['delta']['x']['y']['z'] .= '!';
$reference = &$holder->typed;
$reference[] = 1;
$holder->text = stored('text');
$holder->text[3] = 'X';
$holder->{stored('word')} = stored('text');
$gotten = $holder->alpha;
$gotten[] = 1;
$rows = $holder->readonly;
$rows[0]['name'] = 'changed';
$vars = get_object_vars($holder);
$vars['typed']['beta'] = 'changed';
$clone = clone $holder;
$clone->typed['beta'] = 'changed';
$array = (array) $holder;
$array['typed'][] = 1;
foreach (stored('map') as $name => $value) {
    $holder->$name = $value;
}
$from = new ArrayObject((object) stored('map'));
$from['beta'] .= '!';
(function () {
    $this->typed = stored('list');
    sort($this->typed);
})->call($holder);

unchanged();
?>
--EXPECT--
unchanged

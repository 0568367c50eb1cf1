--TEST--
A fetched value is serialized and unserialized
--FILE--
<?php
require __DIR__ . '/../anything.inc';

foreach (array_keys(sources()) as $name) {
    $copy = unserialize(serialize(stored($name)));
    if (is_array($copy)) {
        $copy[] = 1;
    }
    $serialized = serialize([stored($name), stored($name), 'k' => stored($name)]);
    $serialized[0] = 'A';
}

class Serializing
{
    public array $rows;
    private mixed $text;

    public function __construct()
    {
        $this->rows = stored('rows');
        $this->text = stored('text');
    }

    public function __serialize(): array
    {
        $this->rows[0]['name'] .= '!';

        return stored('map') + ['rows' => $this->rows, 'text' => $this->text];
    }

    public function __unserialize(array $data): void
    {
        $this->rows = $data['rows'];
        $this->rows[] = stored('list');
        $this->text = stored('text') . '!';
    }
}
$object = unserialize(serialize(new Serializing()));
$object->rows[0]['tags'][] = 1;
larder_store('serializing', [new Serializing(), stored('rows')]);
$fetched = larder_fetch('serializing');
$fetched[0]->rows[1]['name'] = 'changed';
$fetched[1][0]['name'] = 'changed';
clone $object;
$array = (array) $object;
$array['rows'][] = 1;
unserialize(serialize(new ArrayObject(stored('map'))))['x'] = 1;

unchanged();
?>
--EXPECT--
unchanged

--TEST--
A fetched value is encoded as JSON and decoded from it
--FILE--
<?php
require __DIR__ . '/../anything.inc';

foreach (['list', 'map', 'rows', 'holes', 'empty', 'numbers', 'text', 'utf8'] as $name) {
    $json = json_encode(stored($name), JSON_PRETTY_PRINT | JSON_PARTIAL_OUTPUT_ON_ERROR);
    json_decode($json, true);
}
json_encode(stored('binary'), JSON_INVALID_UTF8_SUBSTITUTE);
$decoded = json_decode(stored('json'), true);
$decoded[0]['name'] .= '!';
$decoded[1]['tags'][] = 1;
foreach (json_decode(stored('json')) as $row) {
    $row->name = stored('text');
    json_encode($row);
}

class Json implements JsonSerializable
{
    public function __construct(private mixed $value)
    {
    }

    public function jsonSerialize(): mixed
    {
        $this->value[] = 'while encoding';
        $again = json_encode(stored('rows'));

        return ['value' => $this->value, 'stored' => stored('map'), 'again' => json_decode($again)];
    }
}
json_encode([new Json(stored('list')), stored('list'), new Json(stored('map'))]);
json_encode(['self' => stored('rows'), 'twice' => stored('rows')]);

unchanged();
?>
--EXPECT--
unchanged

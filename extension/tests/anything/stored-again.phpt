--TEST--
A fetched value is stored again under other keys
--FILE--
<?php
require __DIR__ . '/../anything.inc';

foreach (array_keys(sources()) as $name) {
    larder_store("again $name", stored($name));
    larder_store("twice $name", [stored($name), stored($name), 'k' => stored($name)]);
    if (!same(larder_fetch("again $name"), stored($name)) || !same(larder_fetch("twice $name"), [stored($name), stored($name), 'k' => stored($name)])) {
        echo "$name is another\n";
    }
}
$rows = stored('rows');
$rows[0]['name'] = 'changed';
larder_store('changed', $rows);
$rows[1]['name'] = 'changed again';
larder_fetch('changed')[0]['name'] === 'changed' || print "not stored\n";
larder_store(stored('word') . '!', stored('rows')[3]['tags']);
larder_store(stored('text'), stored('text'));
larder_fetch(stored('text')) === stored('text') || print "not the text\n";
larder_store_multiple(stored('map'));
larder_fetch_multiple(stored('strings'), stored('rows'))['string 0'][0]['name'] = 'changed';
larder_fetch_multiple(array_keys(stored('map')))['alpha'][] = 1;
larder_delete_multiple(stored('strings'));
larder_store('word', stored('word'));
larder_store('rows', stored('rows'));
$text = stored('text');
larder_store('text', 'another');
larder_store('text', $text);
larder_add('added', ['in' => [stored('rows'), (object) stored('map')]]);
larder_fetch('added')['in'][1]->alpha[] = 1;

unchanged();
?>
--EXPECT--
unchanged

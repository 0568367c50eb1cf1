--TEST--
A fetched value goes to other serializers and caches
--EXTENSIONS--
igbinary
msgpack
apcu
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../anything.inc';

foreach (array_keys(sources()) as $name) {
    $copies = [
        igbinary_unserialize(igbinary_serialize(stored($name))), msgpack_unpack(msgpack_pack(stored($name))),
        apcu_store("apcu $name", stored($name)) ? apcu_fetch("apcu $name") : null,
    ];
    apcu_store(stored('word'), [stored($name)]);
    foreach ($copies as &$copy) {
        if (is_array($copy)) {
            $copy[] = 1;
            array_walk_recursive($copy, function (&$value) {
                $value = 'changed';
            });
        } else {
            $copy .= '!';
        }
    }
    unset($copy);
}
apcu_store(array_filter(stored('map')));
apcu_entry(stored('text'), fn (string $key) => stored('rows'))[0]['name'] = 'changed';
apcu_delete(stored('strings'));
apcu_exists(stored('strings'));

unchanged();
?>
--EXPECT--
unchanged

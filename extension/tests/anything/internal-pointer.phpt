--TEST--
The internal pointer of a fetched array is moved
--FILE--
<?php
require __DIR__ . '/../anything.inc';

foreach (['list', 'map', 'rows', 'holes', 'empty'] as $name) {
    $array = stored($name);
    while (next($array) !== false || key($array) !== null) {
        $at = [key($array), current($array)];
    }
    reset($array);
    end($array);
    prev($array);
    $copy = $array;
    next($copy);
    $copy[] = 'x';
    current(stored($name));
    key(stored($name));
    $reference = &$array;
    reset($reference);
    end($reference);
    $by_method = (new ArrayObject($array))->getIterator();
    $by_method->next();
    $by_method->rewind();
    array_key_first($array) ?? array_key_last($array);
}
$rows = stored('rows');
next($rows[0]['tags']);
end($rows[1]['tags'][2]);
foreach ($rows as $key => $row) {
    next($rows);
    unset($rows[$key]);
}

unchanged();
?>
--EXPECT--
unchanged

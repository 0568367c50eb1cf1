--TEST--
A fetched value is cast and converted by settype()
--FILE--
<?php
require __DIR__ . '/../anything.inc';

foreach (array_keys(sources()) as $name) {
    foreach (['int', 'float', 'string', 'bool', 'array', 'object', 'null'] as $type) {
        $value = stored($name);
        if (is_array($value) && $type === 'string') {
            continue;
        }
        settype($value, $type);
        if (is_array($value)) {
            $value[] = 1;
        } elseif (is_object($value)) {
            $value->more = 1;
            foreach ($value as $key => $property) {
                $value->$key = 'changed';
            }
        } elseif (is_string($value)) {
            $value .= '!';
        }
    }
    $value = stored($name);
    $cast = (array) $value;
    $cast[] = 1;
    $object = (object) $value;
    $object->{'0'} = 'changed';
    (bool) $value;
    if (is_array($value)) {
        $object->alpha[] = 1;
        $back = (array) $object;
        $back['alpha'][] = 2;
    }
}
$number = stored('number');
$number++;
$number = stored('number');
$number += 1;
$float = stored('float');
$float--;
$letters = stored('word');
$letters++;
intval(stored('number'), 8) + (int) stored('float');

unchanged();
?>
--EXPECT--
unchanged

--TEST--
A fetched value is the storage of an ArrayObject
--FILE--
<?php
require __DIR__ . '/../anything.inc';

foreach (['list', 'map', 'rows', 'holes', 'empty'] as $name) {
    $object = new ArrayObject(stored($name));
    $object[] = 'appended';
    $object['key'] = ['x'];
    unset($object[0]);
    foreach ($object as $key => $value) {
        $object[$key] = 'changed';
    }
    $object->uksort(fn ($a, $b) => strcmp((string) $b, (string) $a));
    $object->exchangeArray(stored($name));
    $object->append(1);
    $copy = $object->getArrayCopy();
    $copy[] = 2;
    $iterator = new ArrayIterator(stored($name));
    foreach ($iterator as $key => $value) {
        $iterator->offsetSet($key, null);
    }
    $iterator->asort();
    $clone = clone $object;
    $clone['z'] = 1;
    unserialize(serialize($object));
}
$property = new ArrayObject(stored('map'), ArrayObject::ARRAY_AS_PROPS);
$property->alpha = 'changed';
$property->delta['x']['y'] = 'changed';
$recursive = new RecursiveIteratorIterator(new RecursiveArrayIterator(stored('rows')), RecursiveIteratorIterator::SELF_FIRST);
foreach ($recursive as $key => $value) {
    if (is_string($value)) {
        $recursive->getInnerIterator()->offsetSet($key, 'changed');
    }
}

unchanged();
?>
--EXPECT--
unchanged

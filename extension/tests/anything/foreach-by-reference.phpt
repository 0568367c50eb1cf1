--TEST--
A fetched array is iterated by reference
--FILE--
<?php
require __DIR__ . '/../anything.inc';

foreach (['list', 'map', 'rows', 'strings', 'empty'] as $name) {
    $array = stored($name);
    foreach ($array as $key => &$element) {
        if (is_string($element)) {
            $element .= '!';
        } elseif (is_array($element)) {
            foreach ($element as &$inner) {
                $inner = null;
            }
            unset($inner);
            $element[] = 'more';
        } else {
            $element = 'replaced';
        }
        if ($key === 3) {
            unset($array[3]);
        }
    }
    unset($element);
}
foreach (stored('rows') as &$row) { // of a temporary
    $row['tags'][0] = 'X';
}
unset($row);
foreach (stored('rows') as $key => $value) {
    $value['added'] = $key;
}

unchanged();
?>
--EXPECT--
unchanged

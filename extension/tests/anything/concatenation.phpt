--TEST--
A fetched value is concatenated to
--FILE--
<?php
require __DIR__ . '/../anything.inc';

foreach (['text', 'word', 'long', 'character', 'number', 'utf8'] as $name) {
    $string = stored($name);
    $string .= ' more';
    $string .= stored($name);
    $string = $string . $string;
    $left = 'a' . stored($name);
    $right = stored($name) . 'a';
    $nothing = stored($name) . '';
    $nothing .= 'something';
    $also = '' . stored($name);
    $also .= 'something';
    $rope = "{$string} and {$left} and {$name}";
    $both = stored($name);
    $both .= $both;
}
for ($string = stored('word'), $i = 0; $i < 1000; $i++) {
    $string .= $i;
}
$map = stored('map');
$map['beta'] .= ' more';
$map['delta']['x']['y']['z'] .= ' more';
$joined = implode(', ', stored('strings')) . implode(array_column(stored('rows'), 'name'));
$object = new stdClass();
$object->text = stored('text');
$object->text .= ' more';
$formatted = sprintf('%s %10.5s %2$s', stored('text'), stored('long'));

unchanged();
?>
--EXPECT--
unchanged

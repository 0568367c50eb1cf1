--TEST--
A fetched string is written to by offset
--FILE--
<?php
require __DIR__ . '/../anything.inc';

foreach (['text', 'word', 'long', 'utf8', 'binary', 'character', 'number'] as $name) {
    $string = stored($name);
    $string[0] = 'X';
    $string[-1] = 'Y';
    $string[strlen($string) + 10] = 'Z';
    $other = stored($name);
    for ($i = 0; $i < min(strlen($other), 50); $i++) {
        $other[$i] = chr(ord($other[$i]) ^ 1);
    }
    $again = stored($name);
    $reference = &$again;
    $reference[0] = '!';
}
$strings = stored('strings');
$strings[5][0] = 'S';
foreach ($strings as &$each) {
    $each[1] = 'T';
}
unset($each);
$rows = stored('rows');
$rows[7]['tags'][2]['deep'][3] = 'P';
$isset = isset(stored('text')[5], stored('text')[-5], stored('rows')[0]['name'][2]);
$part = stored('text')[4] . (stored('text')[1000] ?? '');

unchanged();
?>
--EXPECT--
unchanged

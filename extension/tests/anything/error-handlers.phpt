--TEST--
A fetched value is changed by an error handler while it is in use
--FILE--
<?php
require __DIR__ . '/../anything.inc';

$array = stored('map');
set_error_handler(function (int $code, string $message) use (&$array) {
    $array = stored('rows');
    $array[0]['name'] .= $message;

    return true;
});
$x = $array['no such key'];
$array = stored('map');
$array['beta']['no offset'] ?? null;
$array = stored('map');
$array[$undefined] = $x;
$array = stored('map');
$array['delta']['x'][$also_undefined]['new'] = 1;
$array = stored('list');
$array[1][0] ?? null;
$array = stored('strings');
foreach ($array as $key => $string) {
    $string = $string . $never_defined;
    $array["more $key"] = $string;
    if ($key === 5) {
        break;
    }
}
$text = stored('text');
set_error_handler(function () use (&$text) {
    $text = null;

    return true;
});
$text[1000] ?? null;
$y = $text[1000];
$text = stored('text');
$z = $text . $not_defined;
$text = stored('text');
$text .= $not_defined;
$rows = stored('rows');
set_error_handler(function () use (&$rows) {
    unset($rows[0]);
    $rows = null;

    return true;
});
$rows[0]['name'] .= $not_defined;
$rows = stored('rows');
[$a, $b] = [$rows['none'], stored('rows')];
restore_error_handler();
@array_map(fn ($row) => $row['nothing'], stored('rows'));

unchanged();
?>
--EXPECT--
unchanged

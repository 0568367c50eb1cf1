--TEST--
A fetched value is yielded
--FILE--
<?php
require __DIR__ . '/../anything.inc';

function gives(): Generator
{
    $rows = stored('rows');
    $received = yield stored('text') => $rows;
    $received[] = 'more';
    yield from stored('list');
    yield from $rows;
    foreach ($rows as &$row) {
        yield $row;
        $row['name'] = 'changed';
    }
    unset($row);

    return stored('long');
}
function &gives_references(): Generator
{
    $map = stored('map');
    foreach ($map as $key => &$value) {
        yield $key => $value;
    }
}
$generator = gives();
$text = $generator->key();
$text .= '!';
$rows = $generator->current();
$rows[0]['name'] .= '!';
$generator->send(stored('list'));
for (; $generator->valid(); $generator->next()) {
    $key = $generator->key();
    $value = $generator->current();
    if (is_array($value)) {
        $value[] = $key;
    }
}
$long = $generator->getReturn();
$long[0] = 'X';
foreach (gives_references() as $key => &$value) {
    $value = 'changed';
}
unset($value);
$unfinished = gives();
$unfinished->current();
$GLOBALS['kept for the end'] = $unfinished;

unchanged();
?>
--EXPECT--
unchanged

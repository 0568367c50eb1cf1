--TEST--
A fetched value is put into globals and superglobals
--FILE--
<?php
require __DIR__ . '/../anything.inc';

foreach (['rows', 'text', 'map'] as $name) {
    $GLOBALS["global $name"] = stored($name);
    $GLOBALS["global $name"][0] = 'X';
    $_SERVER["server $name"] = stored($name);
    $_SERVER[stored('word')] = stored($name);
    $_GET[stored('word')][$name] = stored($name);
    $_POST = [stored('word') => stored($name)];
    $_COOKIE[stored($name === 'text' ? 'text' : 'word')] = stored('rows');
    $_ENV['x'] = stored($name);
    $_REQUEST += stored('map');
    $_FILES = stored('rows');
}
function uses_global(): void
{
    global $text, $rows;
    $text = stored('text');
    $text .= '!';
    $rows = stored('rows');
    $rows[0]['tags'][] = 'more';
    unset($GLOBALS['nothing']);
    $GLOBALS['made'] = stored('map');
    $GLOBALS['made']['alpha'][0]++;
}
uses_global();
$rows[1]['name'] .= '!';
$made['delta']['x'] = 'changed';
$all = $GLOBALS;
$all['rows'][2]['name'] = 'changed';
$name = stored('word');
$$name = stored('list');
${$name}[] = 'more';
$_SERVER['REQUEST_TIME'] = stored('text');
$_SERVER['REQUEST_TIME'] .= '!';

unchanged();
?>
--EXPECT--
unchanged

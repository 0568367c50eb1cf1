--TEST--
A fetched value crosses fibers
--FILE--
<?php
require __DIR__ . '/../anything.inc';

$fiber = new Fiber(function (array $rows, string $text): array {
    $rows[0]['name'] = 'changed';
    $more = Fiber::suspend(stored('map'));
    $more[] = $text;
    Fiber::suspend(stored('long'));

    return stored('rows');
});
$map = $fiber->start(stored('rows'), stored('text'));
$map['alpha'][] = 1;
$long = $fiber->resume(stored('list'));
$long .= '!';
$fiber->resume();
$rows = $fiber->getReturn();
$rows[0]['tags'][] = 1;
$left = new Fiber(function () {
    $held = stored('rows');
    $text = stored('text');
    try {
        Fiber::suspend($text);
    } finally {
        $held[0]['name'] = 'in the end';
    }
});
$left->start();
$thrown = new Fiber(function () {
    $rows = stored('rows');
    try {
        Fiber::suspend();
    } catch (Exception $e) {
        return $e->getMessage() . $rows[0]['name'];
    }
});
$thrown->start();
$thrown->throw(new Exception(stored('text')));
$result = $thrown->getReturn();
$result[0] = 'X';

unchanged();
?>
--EXPECT--
unchanged

--TEST--
A fetched value is spread, destructured and passed by name
--FILE--
<?php
require __DIR__ . '/../anything.inc';

function variadic(mixed ...$arguments): array
{
    $arguments[0] = 'changed';
    $arguments[] = 'more';

    return $arguments;
}
function variadic_by_reference(mixed &...$arguments): void
{
    foreach ($arguments as &$argument) {
        $argument = 'changed';
    }
}
function named(mixed $alpha = 0, mixed $beta = 1, mixed $gamma = 2, mixed $delta = 3): array
{
    $alpha[] = 'more';
    $beta .= '!';
    $delta['x']['y'] = 'changed';

    return func_get_args();
}
variadic(...stored('list'));
variadic(...stored('map'));
variadic(...stored('rows'), ...stored('strings'));
$list = stored('list');
variadic_by_reference(...$list);
$list = stored('list');
variadic_by_reference($list[1], $list[8][0]);
named(...stored('map'));
named(delta: stored('map'), alpha: stored('list'));
call_user_func_array('named', stored('map'));
call_user_func_array('variadic', array_values(stored('list')));
$spread = [...stored('list'), ...stored('map'), 'x' => stored('rows')];
$spread[1] .= '!';
$spread['alpha'][] = 1;
[1 => ['name' => $name], 2 => ['tags' => [2 => ['deep' => $deep]]]] = stored('rows');
$name .= $deep;
[$x['a']['b'], $x[]] = stored('strings');
$x['a']['b'] .= '!';
foreach (stored('rows') as ['id' => $id, 'tags' => $tags]) {
    $tags[$id] = $id;
}

unchanged();
?>
--EXPECT--
unchanged

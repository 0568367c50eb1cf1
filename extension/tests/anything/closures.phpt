--TEST--
A fetched value is bound to closures and passed to them
--FILE--
<?php
require __DIR__ . '/../anything.inc';

$rows = stored('rows');
$text = stored('text');
$by_value = function () use ($rows, $text) {
    $rows[0]['name'] = 'changed';
    $text .= '!';

    return [$rows, $text];
};
$by_reference = function () use (&$rows, &$text) {
    $rows[0]['name'] = 'changed';
    $text .= '!';
};
$arrow = fn () => $rows[1]['tags'][0] . $text;
$by_value();
$by_value()[0][1]['tags'][] = 1;
$arrow();
$by_reference();

class Bound
{
    private mixed $secret;

    public function __construct()
    {
        $this->secret = stored('map');
    }
}
$peek = fn & () => $this->secret;
$secret = &Closure::bind($peek, new Bound(), Bound::class)();
$secret['alpha'][0] = 'changed';
Closure::bind(function () {
    $this->secret['beta'] .= '!';
}, new Bound(), 'Bound')();
$upper = Closure::fromCallable(stored('function'));
$upper(stored('text'));
$first_class = (stored('function'))(...);
$first_class(stored('word'));
call_user_func_array(stored('function'), [stored('text')]);
array_map(stored('function'), stored('strings'));
$static = static fn (string $of = 'x') => $of . $text;
$static(stored('long'));

unchanged();
?>
--EXPECT--
unchanged

--TEST--
A fetched value is held by shutdown functions and destructors
--FILE--
<?php
require __DIR__ . '/../anything.inc';

class Destructed
{
    public ?Destructed $self = null;

    public function __construct(public mixed $value)
    {
    }

    public function __destruct()
    {
        if (is_array($this->value)) {
            $this->value[] = 'at the end';
            foreach ($this->value as &$element) {
                $element = is_string($element) ? $element . '!' : $element;
            }
        } else {
            $this->value .= '!';
            $this->value[0] = 'X';
        }
        strlen(serialize($this->value));
    }
}
foreach (['rows', 'text', 'map', 'long', 'list', 'strings'] as $name) {
    $kept[] = new Destructed(stored($name));
    register_shutdown_function(function (mixed $value) use ($name) {
        $of = stored($name);
        if (is_array($value)) {
            $value['key'] = $of;
        } else {
            $value .= $of;
        }
        $GLOBALS["in the end $name"] = [$value, stored($name)];
    }, stored($name));
}
register_shutdown_function(stored('function'), stored('text'));
$cycle = new Destructed(stored('rows'));
$cycle->self = $cycle;
unset($cycle);
$_SERVER['held'] = stored('rows');
$_GET[stored('word')] = stored('text');
unchanged();
register_shutdown_function(function () {
    foreach (sources() as $name => $value) {
        if (!same($value, larder_fetch($name))) {
            echo "changed later: $name\n";
        }
    }
});
?>
--EXPECT--
unchanged

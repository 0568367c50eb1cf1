--TEST--
A fetched value is a class name for an autoloader
--FILE--
<?php
require __DIR__ . '/../anything.inc';

spl_autoload_register(function (string $class) {
    $GLOBALS['asked'][$class] = stored('rows');
    if ($class === 'Stored_Class') {
        eval('class Stored_Class { public $rows; public static $more; const NAME = self::class; }');
    }
});
class_exists(stored('word'));
interface_exists(stored('text'));
is_callable([stored('word'), stored('function')]);
is_a(stored('word'), stored('text'), true);
unserialize('O:4:"word":0:{}');
new (stored('class'))();
stored('class')::$more = stored('rows');
stored('class')::$more[0]['name'] .= '!';
$asked['word'][0]['name'] = 'changed';
function stored_function(string $class): void
{
}
spl_autoload_register(stored('names')['function']);
spl_autoload_unregister(stored('names')['function']);
spl_autoload_functions();
spl_autoload_call(stored('word'));
try {
    new (stored('word'))();
} catch (Error $e) {
    strlen($e->getMessage());
}
try {
    constant(stored('word') . '::X');
} catch (Error $e) {
    strlen($e->getMessage());
}

unchanged();
?>
--EXPECT--
unchanged

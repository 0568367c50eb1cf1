--TEST--
A fetched value is passed to the environment, locales and error handlers
--FILE--
<?php
require __DIR__ . '/../anything.inc';

putenv(stored('word') . '=' . stored('text'));
putenv(stored('word'));
getenv(stored('word'));
setlocale(LC_ALL, stored('word'));
setlocale(LC_ALL, stored('strings'));
setlocale(LC_ALL, 'C');
function stored_function(int $code, string $message): bool
{
    $GLOBALS['messages'][] = $message;

    return true;
}
set_error_handler(stored('names')['function']);
trigger_error(stored('text'));
trigger_error(substr(stored('long'), 0, 500), E_USER_WARNING);
echo $undefined[stored('word')];
$array = stored('map');
echo $array[stored('text')];
restore_error_handler();
set_exception_handler(stored('names')['function']);
restore_exception_handler();
$messages[0][0] = 'X';
class Thrown extends Exception
{
}
try {
    throw new Thrown(stored('text'));
} catch (Thrown $e) {
    $message = $e->getMessage();
    $message .= '!';
    "$e";
}
try {
    (function (int $x) {
    })(stored('text'));
} catch (TypeError $e) {
    $trace = $e->getTrace();
    $trace[0]['args'] = stored('rows');
}
assert(true, stored('text'));
error_get_last();
gethostname() . php_uname(stored('character') === 'x' ? 's' : 'a');

unchanged();
?>
--EXPECT--
unchanged

--TEST--
Only the unserializer's own errors are hidden from handlers
--FILE--
<?php
require __DIR__ . '/../support.inc';
own_cache();

$writer = '
    class Fewer { public $gone = 1; }
    class Wakes { public $seen; }
    class Loaded {}
    class Changed { public int|string $number = "text"; }
    larder_store("fewer", [new Fewer(), new Wakes(), new Loaded()]);
    larder_store("damaged", new ArrayObject([new Changed()]));
';
error_reporting(E_ALL);
class Fewer // without a property: that is deprecated, and the value is whole
{
}
class Wakes
{
    public $seen;

    public function __wakeup(): void
    {
        $this->seen = [error_reporting(), set_error_handler(null)];
        restore_error_handler();
        @trigger_error('silenced', E_USER_WARNING);
    }
}
function handler(int $type, string $message): bool
{
    echo (error_reporting() & $type) ? "handler: $message\n" : "silenced: $message\n";

    return true;
}
spl_autoload_register(function (string $class): void {
    if ($class !== 'Loaded') {
        return;
    }
    @trigger_error('silenced in the autoloader', E_USER_WARNING);
    set_error_handler(fn () => true);
    trigger_error('heard by a handler of its own', E_USER_WARNING);
    restore_error_handler();
    $old = error_reporting(E_ERROR);
    error_reporting($old);
    eval('class Loaded {}');
});

foreach (['php', extension_loaded('igbinary') ? 'igbinary' : 'php'] as $round => $serializer) {
    echo "-- the next one\n";
    echo other_process($writer . ($round === 0 ? '' : ' larder_store("fewer", [new Fewer(), new Wakes()]);'), ['larder.serializer' => $serializer]);
    set_error_handler('handler');
    error_clear_last();
    $value = larder_fetch('fewer');
    var_dump(array_map(get_class(...), $value) === array_slice(['Fewer', 'Wakes', 'Loaded'], 0, count($value)));
    var_dump($value[0]->gone, $value[1]->seen === [E_ALL, 'handler']);
    var_dump(larder_fetch('damaged', 'default'), error_get_last(), error_reporting() === E_ALL);
    trigger_error('of the script', E_USER_WARNING);
    restore_error_handler();
}

echo "-- what a Serializable tries is its own\n";
error_reporting(E_ALL & ~E_DEPRECATED);
class Tries implements Serializable
{
    public static string $written;
    public mixed $read = null;

    public function serialize(): string
    {
        return self::$written;
    }

    public function unserialize($data): void
    {
        $this->read = @unserialize($data);
    }
}
class Restricts extends Tries
{
    public function unserialize($data): void
    {
        $this->read = unserialize($data, ['allowed_classes' => false]);
    }
}
class Reads extends Tries
{
    public function unserialize($data): void
    {
        $this->read = unserialize($data);
    }
}
foreach (['text of an older version', serialize([new ArrayObject()]), 'O:7:"Nowhere":0:{}'] as Tries::$written) {
    foreach (['Tries', 'Restricts', 'Reads'] as $class) {
        larder_store('k', [new $class()]);
        $value = larder_fetch('k', 'default');
        echo "$class: ", is_array($value) ? get_debug_type($value[0]->read) : $value, "\n";
        if ($class === 'Reads' && is_array(@larder_fetch('k')) !== is_array($value)) {
            echo "not so if errors are silenced\n";
        }
    }
}
?>
--EXPECTF--
-- the next one
silenced: silenced in the autoloader
silenced: silenced
bool(true)
int(1)
bool(true)
string(7) "default"
NULL
bool(true)
handler: of the script
-- the next one
silenced: silenced
bool(true)
int(1)
bool(true)
string(7) "default"
NULL
bool(true)
handler: of the script
-- what a Serializable tries is its own
Tries: bool

%s: unserialize(): Error at offset 0 of 24 bytes in %s on line %d
Restricts: bool
Reads: default
Tries: array
Restricts: array
Reads: array
Tries: default
Restricts: __PHP_Incomplete_Class
Reads: default

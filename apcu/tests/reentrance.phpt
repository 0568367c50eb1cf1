--TEST--
Code of the application that runs during a call may change what was passed to it
--INI--
apc.enable_cli=1
larder.segment=reentrance
disable_functions=serialize,unserialize
--FILE--
<?php
/** Its methods run while it is stored, fetched and freed. */
class Hook
{
    public static ?Closure $sleep = null;
    public static ?Closure $wakeup = null;
    public static ?Closure $destroy = null;
    public $resource = null;

    private static function run(?Closure &$hook): void
    {
        [$once, $hook] = [$hook, null];
        $once && $once();
    }

    public function __sleep()
    {
        self::run(self::$sleep);

        return ['resource'];
    }

    public function __wakeup()
    {
        self::run(self::$wakeup);
    }

    public function __destruct()
    {
        self::run(self::$destroy);
    }
}
apcu_clear_cache();

echo "a key of a list\n";
$key = 'key of ' . getmypid();
$name = "$key";
apcu_store($key, new Hook());
$keys = [&$key];
Hook::$wakeup = function () {
    $GLOBALS['key'] = 5;
};
var_dump(array_keys(apcu_fetch($keys)) === [$name]);

echo "a value of a list\n";
foreach ([null, STDIN] as $resource) {
    $hook = new Hook();
    $hook->resource = $resource;
    $value = [$hook, str_repeat('long', 10), [STDIN]];
    Hook::$sleep = function () {
        $GLOBALS['value'] = null;
    };
    var_dump(apcu_store(['list' => &$value]), count(apcu_fetch('list')));
}

echo "an item of an iterator\n";
apcu_clear_cache();
apcu_store(['a' => new Hook(), 'b' => 2, 'c' => 3]);
$iterator = new APCUIterator(['a', 'b', 'c'], APC_ITER_VALUE);
$iterator->rewind();
Hook::$destroy = $iterator->next(...);
$iterator->next();
var_dump($iterator->key(), $iterator->current());

echo "what a callback returns by reference\n";
$kept = ['kept'];
$made = apcu_entry('made', function &() use (&$kept) { return $kept; });
$made[] = 'more';
var_dump(count($kept), apcu_fetch('made') === $kept);
?>
--EXPECT--
a key of a list
bool(true)
a value of a list
array(0) {
}
int(3)
array(0) {
}
int(3)
an item of an iterator
string(1) "b"
array(1) {
  ["value"]=>
  int(2)
}
what a callback returns by reference
int(1)
bool(true)

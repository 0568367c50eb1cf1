--TEST--
larder_store_cas() replaces only the value of its token
--FILE--
<?php
require __DIR__ . '/../support.inc';
own_cache(['larder.size' => '8M']);

$values = ['null' => null, 'false' => false, 'integer' => 5, 'float' => 0.5, 'empty' => '', 'character' => 'x', 'string' => 'text', 'array' => [1, ['a' => 'b']], 'object' => new ArrayObject([1]), 'long' => str_repeat('long', 50000)];
foreach (['1', '0'] as $zeroCopy) {
    ini_set('larder.zero_copy', $zeroCopy);
    $cas = 'set';
    foreach ($values as $name => $value) {
        larder_delete($name);
        if (larder_fetch_cas($name, 'default', $cas) !== 'default' || $cas !== null) {
            echo "$name: no miss\n";
        }
        if (larder_store_cas($name, 'new', 0) || larder_exists($name)) {
            echo "$name: stored over nothing\n";
        }
        larder_store($name, $value);
        if (!same(larder_fetch_cas($name, 'default', $cas), $value) || !is_int($cas)) {
            echo "$name: not fetched\n";
        }
        larder_fetch_cas($name, null, $again);
        larder_store('another', $value);
        larder_fetch_cas('another', null, $other);
        if ($again !== $cas || $other === $cas) {
            echo "$name: tokens are wrong\n";
        }
        if (larder_store_cas($name, 'x', $cas + 1) || larder_store_cas($name, 'x', $other) || !same(larder_fetch($name), $value)) {
            echo "$name: stored over another\n";
        }
        larder_store($name, $value);
        if (larder_store_cas($name, 'x', $cas) || !same(larder_fetch($name), $value)) {
            echo "$name: stored over an equal value\n";
        }
        larder_fetch_cas($name, null, $cas);
        larder_delete($name);
        if (larder_store_cas($name, 'x', $cas) || larder_exists($name)) {
            echo "$name: stored after it was deleted\n";
        }
        larder_store($name, $value);
        if (larder_store_cas($name, 'x', $cas)) {
            echo "$name: stored after it was deleted and stored again\n";
        }
        larder_fetch_cas($name, null, $cas);
        larder_clear();
        if (larder_store_cas($name, 'x', $cas)) {
            echo "$name: stored after all was cleared\n";
        }
        do { // again where a busy machine took longer than that
            larder_store($name, $value, 0.05);
            larder_fetch_cas($name, null, $cas);
        } while ($cas === null);
        usleep(80000);
        if (larder_store_cas($name, 'x', $cas) || larder_exists($name)) {
            echo "$name: stored over what had expired\n";
        }
        larder_store($name, 'before');
        larder_fetch_cas($name, null, $cas);
        if (!larder_store_cas($name, $value, $cas, 60) || !same(larder_fetch($name), $value) || larder_store_cas($name, 'x', $cas)) {
            echo "$name: not stored, or twice\n";
        }
    }
}

echo "-- what is refused leaves the old value\n";
larder_store('k', 'old');
larder_fetch_cas('k', null, $cas);
var_dump(larder_store_cas('k', str_repeat('x', 7 << 20), $cas));
try {
    larder_store_cas('k', fn() => 1, $cas);
} catch (Exception $exception) {
    echo $exception->getMessage(), "\n";
}
var_dump(larder_fetch('k'), larder_store_cas('k', 'new', $cas), larder_fetch('k'));

echo "-- counting\n";
larder_store('n', 5);
larder_fetch_cas('n', null, $cas);
larder_increment('n');
var_dump(larder_store_cas('n', 0, $cas));
larder_decrement('n');
var_dump(larder_store_cas('n', 0, $cas), larder_fetch('n'));

echo "-- evicted\n"; // by a process that has pinned nothing, from a page that nobody has
$fill = 'for ($i = 0; $i < 3000; $i++) { larder_store("filler $i", str_repeat("x", 8000)); }';
echo other_process($fill . '
    larder_store("evicted", "old");
    larder_fetch_cas("evicted", null, $cas);' . $fill . '
    var_dump(larder_fetch_cas("evicted", "default", $none), $none, larder_store_cas("evicted", "x", $cas));', ['larder.zero_copy' => 0]);

echo "-- another process\n";
larder_store('k', 'old');
larder_fetch_cas('k', null, $cas);
echo other_process("var_dump(larder_store_cas('k', 'theirs', $cas), larder_store_cas('k', 'twice', $cas));");
var_dump(larder_store_cas('k', 'ours', $cas), larder_fetch('k'));

echo "-- the variable\n";
class Typed
{
    public ?int $cas = 7;
    public string $text = '';
}
$typed = new Typed();
larder_fetch_cas('k', cas: $typed->cas);
var_dump(is_int($typed->cas) && $typed->cas !== 7);
larder_fetch_cas('missing', cas: $typed->cas);
var_dump($typed->cas);
try {
    larder_fetch_cas('missing', null, $typed->text);
} catch (TypeError $error) {
    echo $error->getMessage(), "\n";
}
class Overwrites
{
    public function __destruct()
    {
        larder_store('k', 'by a destructor');
        larder_fetch('k');
    }
}
$cas = new Overwrites();
var_dump(larder_fetch_cas('k', null, $cas), larder_fetch('k'), larder_store_cas('k', 'x', $cas));

// A debug build of PHP compares what a function declares with what it was called with.
foreach ((new ReflectionExtension('larder'))->getFunctions() as $function) {
    foreach ($function->getParameters() as $parameter) {
        if ($parameter->isPassedByReference()) {
            echo $function->name, ' $', $parameter->name, ': ', $parameter->getType(), "\n";
        }
    }
}
?>
--EXPECT--
-- what is refused leaves the old value
bool(false)
Serialization of 'Closure' is not allowed
string(3) "old"
bool(true)
string(3) "new"
-- counting
bool(false)
bool(true)
int(0)
-- evicted
string(7) "default"
NULL
bool(false)
-- another process
bool(true)
bool(false)
bool(false)
string(6) "theirs"
-- the variable
bool(true)
NULL
Cannot assign null to reference held by property Typed::$text of type string
string(6) "theirs"
string(15) "by a destructor"
bool(false)
larder_fetch_cas $cas: mixed
larder_claim $cas: mixed

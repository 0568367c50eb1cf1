--TEST--
larder.classes limits the classes that a fetch creates objects of; a value with others is a miss
--FILE--
<?php
require __DIR__ . '/../support.inc';
require __DIR__ . '/objects.inc';
own_cache();

class Gadget
{
    public mixed $inner = null;

    public function __unserialize(array $data): void
    {
        echo "gadget called\n";
    }

    public function __serialize(): array
    {
        return [];
    }
}
class Half extends Exception // serialized whole
{
    public mixed $inner = null;
}
$half = new Half();
$half->inner = new Plain();
$values = [
    'array' => [1, 'two', [3]],
    'stdClass' => (object) ['a' => 1],
    'Plain' => new Plain(),
    'Child' => new Child(),
    'enum' => [Suit::Hearts],
    'Gadget' => [new Plain(), new Gadget()],
    'DateTime' => new DateTime('@1'),
    'serialized' => [$half],
];
foreach ($values as $name => $value) {
    ini_set('larder.classes', 'Half'); // then PHP serializes, even if igbinary is loaded
    larder_store($name, $value);
    ini_set('larder.classes', '*');
    foreach (['php', 'igbinary'] as $serializer) {
        ini_set('larder.serializer', $serializer);
        larder_store("$name by $serializer", $value);
    }
    ini_set('larder.serializer', 'auto');
}

function fetched(string $of): string
{
    global $values;
    $found = [];
    foreach ($values as $name => $value) {
        if (larder_fetch("$name$of", 'miss') !== 'miss') {
            $found[] = $name;
        }
    }

    return implode(', ', $found);
}

foreach (['nothing', 'Plain', '\plain, suit', 'stdClass,Child,DateTime', 'Half,Plain', 'Half', 'nobody'] as $classes) {
    ini_set('larder.classes', $classes);
    echo "$classes: ", fetched(''), "\n";
    if (str_replace(', enum', '', fetched(' by php')) !== str_replace(', enum', '', fetched(''))) { // PHP 8.2 does not limit enums
        echo "serialized by PHP: ", fetched(' by php'), "\n";
    }
    if (extension_loaded('igbinary') && fetched(' by igbinary') !== 'array') {
        echo "serialized by igbinary: ", fetched(' by igbinary'), "\n";
    }
}

echo "-- all, the control\n";
ini_set('larder.classes', '*');
echo fetched(''), "\n";

echo "-- no class is loaded that is not allowed, and what is missed is counted\n";
spl_autoload_register(function (string $class): void { echo "autoload $class\n"; });
echo other_process('
    spl_autoload_register(function ($class) { echo "autoload $class\n"; });
    $before = larder_info()["unreadable"];
    foreach (["Plain", "Plain by php"] as $key) { echo larder_fetch($key, "miss"), "\n"; }
    echo larder_info()["unreadable"] - $before, "\n";
', ['larder.classes' => 'Other']);
?>
--EXPECT--
nothing: array
Plain: array, Plain
\plain, suit: array, Plain, enum
stdClass,Child,DateTime: array, stdClass, Child, DateTime
Half,Plain: array, Plain, serialized
Half: array
nobody: array
-- all, the control
gadget called
array, stdClass, Plain, Child, enum, Gadget, DateTime, serialized
-- no class is loaded that is not allowed, and what is missed is counted
miss
miss
2

--TEST--
An object whose class has changed since is a miss, and counted; one whose class has only other code is not
--FILE--
<?php
require __DIR__ . '/../support.inc';
own_cache();

enum Suit: string
{
    case Hearts = 'h';
    case Spades = 's';
}
class Item
{
    public int $Ez = 1;
    protected string $name = 'name';
    private array $list = [1];
    public ?Suit $suit = Suit::Spades;
}
class Loose
{
    public mixed $any = 1;
}

larder_store('item', [new Item()]);
larder_store('loose', new Loose());
larder_store('case', Suit::Spades);

$suit = 'enum Suit: string { case Hearts = "h"; case Spades = "s"; } ';
$item = 'class Item { public int $Ez = 1; protected string $name = "name"; private array $list = [1]; public ?Suit $suit = null; } ';
foreach ([
    'the same' => $suit . $item,
    'other code' => $suit . str_replace('private', 'public function added() {} public static $static; const C = 1; private', $item),
    'other defaults' => $suit . str_replace('[1]', '[2]', $item),
    'a type that takes it' => $suit . str_replace('int $Ez', 'int|string $Ez', $item),
    'another type' => $suit . str_replace('int $Ez = 1', 'array $Ez = []', $item),
    'another name, of the same hash' => $suit . str_replace('$Ez', '$FY', $item),
    'another visibility' => $suit . str_replace('protected', 'public', $item),
    'one more' => $suit . str_replace('private', 'public $more; private', $item),
    'one less' => $suit . str_replace('private array $list = [1];', '', $item),
    'another order' => $suit . 'class Item { protected string $name = "name"; public int $Ez = 1; private array $list = [1]; public ?Suit $suit = null; }',
    'a parent' => $suit . 'class Above { public $above; }' . str_replace('class Item', 'class Item extends Above', $item),
    'a method that unserialize() calls' => $suit . str_replace('private', 'public function __wakeup() { echo "woken "; } private', $item),
    'another that it calls' => $suit . str_replace('private', 'public function __unserialize(array $data): void { echo "called "; } private', $item),
    'dynamic properties allowed' => $suit . '#[AllowDynamicProperties] ' . $item,
    'abstract' => $suit . 'abstract ' . $item,
    'an interface' => $suit . 'interface Item {}',
    'an enum' => $suit . 'enum Item { case Ez; }',
    'extends a class of PHP' => $suit . 'class Item extends ArrayObject {}',
    'no class' => $suit,
    'no enum' => $item,
    'a class for the enum' => 'class Suit {} ' . $item,
    'no such case' => str_replace('case Spades = "s";', 'const Spades = 1;', $suit) . $item,
    'an autoloader' => 'spl_autoload_register(function ($class) { echo "autoload $class; "; eval($class === "Item" ? \'' . $item . '\' : \'' . $suit . '\'); });',
    'an autoloader that throws' => 'spl_autoload_register(function ($class) { throw new Exception($class); });',
    'a function for missing classes' => 'ini_set("unserialize_callback_func", "callback"); function callback($class) { echo "callback $class; "; eval($class === "Item" ? \'' . $item . '\' : \'' . $suit . '\'); }',
] as $what => $code) {
    $seen = '$before = larder_info()["unreadable"]; $f = larder_fetch("item", "miss"); echo is_array($f) ? $f[0]::class . " " . $f[0]->suit->name : $f, larder_info()["unreadable"] > $before ? ", counted" : "";';
    echo "$what: ", other_process($code . $seen), "\n";
}
$loose = '$f = larder_fetch("loose", "miss"); echo is_object($f) ? var_export($f->any, true) : $f;';
echo 'no type: ', other_process('class Loose { public $any = 5; } ' . $loose), "\n";
echo 'readonly: ', other_process('class Loose { public readonly mixed $any; } ' . $loose), "\n";
echo 'a case alone: ', other_process($suit . 'var_dump(larder_fetch("case") === Suit::Spades);');
?>
--EXPECT--
the same: Item Spades
other code: Item Spades
other defaults: Item Spades
a type that takes it: Item Spades
another type: miss, counted
another name, of the same hash: miss, counted
another visibility: miss, counted
one more: miss, counted
one less: miss, counted
another order: miss, counted
a parent: miss, counted
a method that unserialize() calls: miss, counted
another that it calls: miss, counted
dynamic properties allowed: miss, counted
abstract: miss, counted
an interface: miss, counted
an enum: miss, counted
extends a class of PHP: miss, counted
no class: miss, counted
no enum: miss, counted
a class for the enum: miss, counted
no such case: miss, counted
an autoloader: autoload Item; autoload Suit; Item Spades
an autoloader that throws: miss, counted
a function for missing classes: callback Item; callback Suit; Item Spades
no type: 1
readonly: 1
a case alone: bool(true)

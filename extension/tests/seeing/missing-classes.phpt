--TEST--
larder_peek() shows objects whose class is missing or has changed, by class and values, and larder_fetch() does not
--FILE--
<?php
require __DIR__ . '/../support.inc';
own_cache();

enum Status: string { case Open = 'o'; }
#[AllowDynamicProperties]
class Loose { protected $declared = 'kept'; }
class Custom
{
    public function __construct(private array $values) {}
    public function __serialize(): array { return $this->values; }
    public function __unserialize(array $values): void {}
}
class Item { public $first = 1; private ?Item $second = null; public int $unset; public $third = 'x'; public function __wakeup(): void { echo "never\n"; } }
class Line { public function __construct(public Status $status, public mixed $item, public array $more = []) {} }

$item = new Item();
unset($item->unset);
$loose = new Loose();
$loose->added = $item;
$loose->{'5'} = 'five';
$shared = 'shared';
$line = new Line(Status::Open, $item, ['loose' => $loose, 'again' => $item, 'known' => new ArrayObject([7])]);
larder_store('graph', $line);
larder_store('custom', [new Custom(['a' => $item, 3 => 'three']), new Custom([])]);
larder_store('references', [new Item(), &$shared, &$shared]);
larder_store('whole', [1, 'two']);
larder_store('many', array_map(fn (int $i): array => [new Item(), new Line(Status::Open, $i)], range(1, 1000)));

echo other_process(<<<'CODE'
    function show(mixed $value, int $depth = 0): string {
        if ($value instanceof __PHP_Incomplete_Class || is_array($value)) {
            $text = [];
            foreach ((array) $value as $name => $each) {
                if ($name !== '__PHP_Incomplete_Class_Name') {
                    $text[] = str_replace("\0", '/', $name) . ': ' . show($each, $depth + 1);
                }
            }
            return (is_array($value) ? '' : ((array) $value)['__PHP_Incomplete_Class_Name']) . '{' . implode(', ', $text) . '}';
        }
        return is_object($value) ? $value::class . json_encode($value) : json_encode($value);
    }
    class Line { public $other; } // has changed
    foreach (['graph', 'custom', 'references', 'whole'] as $key) {
        echo "$key ", show(larder_peek($key, 'miss', true)), ' ', show(larder_peek($key, 'miss')), ' ', show(larder_fetch($key, 'miss')), "\n";
    }
    $graph = larder_peek('graph', null, true);
    var_dump(((array) ((array) $graph)[2]['loose'])['added'] === ((array) $graph)[2]['again']);
    var_dump(substr_count(serialize(larder_peek('many', null, true)), '"Item"'));
    $references = larder_peek('references', null, true);
    $references[1] = 'changed';
    var_dump($references[2], larder_peek('none', 'default', true));
    CODE);

echo "-- written by the serializers\n";
foreach (['php', 'igbinary'] as $serializer) {
    ini_set('larder.serializer', $serializer);
    larder_store('s', [new SplObjectStorage(), $item, new Sleeps()]);
    echo other_process('[, $item, $other] = larder_peek("s", null, true); echo implode(" ", [((array) $item)["__PHP_Incomplete_Class_Name"], ((array) $item)["first"], get_class($other)]), json_encode(larder_fetch("s", "miss")), "\n";');
}
class Sleeps { public function __sleep() { return []; } }

ini_set('larder.serializer', 'auto');
echo "-- what its code fetches is a miss as ever\n";
class Asks { public function __unserialize(array $data): void { echo json_encode(larder_fetch('custom', 'miss')), "\n"; } public function __serialize(): array { return []; } }
larder_store('asks', [new Asks(), new Item()]);
echo other_process('class Asks { public function __unserialize(array $data): void { echo json_encode(larder_fetch("custom", "miss")), "\n"; } public function __serialize(): array { return []; } } echo get_class(larder_peek("asks", null, true)[1]), "\n";');

echo "-- classes that are not allowed\n";
ini_set('larder.classes', '');
echo get_class(larder_peek('asks', null, true)[0]), ' ', json_encode(larder_peek('asks', 'miss')), "\n";
?>
--EXPECT--
graph Line{0: Status{name: "Open"}, 1: Item{0: 1, 1: null, 3: "x"}, 2: {loose: Loose{0: "kept", added: Item{0: 1, 1: null, 3: "x"}, 5: "five"}, again: Item{0: 1, 1: null, 3: "x"}, known: ArrayObject{"0":7}}} "miss" "miss"
custom {0: Custom{a: Item{0: 1, 1: null, 3: "x"}, 3: "three"}, 1: Custom{}} "miss" "miss"
references {0: Item{0: 1, 1: null, 3: "x"}, 1: "shared", 2: "shared"} "miss" "miss"
whole {0: 1, 1: "two"} {0: 1, 1: "two"} {0: 1, 1: "two"}
bool(true)
int(1000)
string(7) "changed"
string(7) "default"
-- written by the serializers
Item 1 __PHP_Incomplete_Class"miss"
Item 1 __PHP_Incomplete_Class"miss"
-- what its code fetches is a miss as ever
"miss"
__PHP_Incomplete_Class
-- classes that are not allowed
__PHP_Incomplete_Class "miss"

--TEST--
Random object graphs come back as unserialize() would create them; LARDER_PROOF=long tries a million
--FILE--
<?php
require __DIR__ . '/../support.inc';
require __DIR__ . '/graphs.inc';
own_cache(without: 'igbinary'); // so that what is no graph is serialized by PHP itself

$graphs = getenv('LARDER_PROOF') === 'long' ? 1_000_000 : 3_000;
foreach (['1', '0'] as $zeroCopy) {
    ini_set('larder.zero_copy', $zeroCopy);
    $first = mt_rand(1, 1 << 30);
    $differences = compare_graphs($first, $first + $graphs - 1);
    echo $differences === 0 ? "no difference\n" : "$differences differences, from seed $first\n";
}

echo "-- the generator makes what is a graph, and what is serialized\n";
$made = new Graphs();
$serialized = 0;
for ($seed = 1; $seed <= 1_000; ++$seed) {
    $serialized += preg_match('/"(Half|SplFixedArray)"/', serialize($made->of($seed)));
}
var_dump($serialized > 30 && $serialized < 500);

echo "-- neither the stored objects nor those of an earlier fetch are those of a fetch\n";
$object = (object) ['list' => [1], 'inner' => new stdClass()];
larder_store('k', $object);
$first = larder_fetch('k');
$first->list[] = 2;
$first->inner->new = true;
unset($first->inner);
var_dump(larder_fetch('k') == (object) ['list' => [1], 'inner' => new stdClass()], larder_fetch('k') === larder_fetch('k'));

echo "-- destructors run once for each object fetched, and not for one that is a miss\n";
larder_store('k', [new Watched(), new Watched()]);
Watched::$destroyed = 0;
$fetched = larder_fetch('k');
var_dump(Watched::$destroyed);
unset($fetched);
var_dump(Watched::$destroyed);

echo "-- cycles are collected\n";
$a = new stdClass();
$a->self = $a;
larder_store('k', $a);
unset($a);
gc_collect_cycles();
for ($i = 0; $i < 100; ++$i) {
    larder_fetch('k');
}
var_dump(gc_collect_cycles());

echo "-- their collector, which runs destructors, does not start while a value is stored\n";
class Meddler
{
    public static ?stdClass $victim = null;
    public object $self;

    public function __construct()
    {
        $this->self = $this;
    }

    public function __destruct()
    {
        if (self::$victim) {
            foreach (self::$victim->items as $item) {
                $item->list = $item->child = null;
            }
            self::$victim->items = [];
        }
    }
}
$victim = new stdClass();
for ($i = 0; $i < 10; ++$i) {
    $victim->items[] = (object) ['list' => [[$i, range(1, 9)], [$i]], 'child' => (object) ['list' => [$i]]];
}
$right = serialize($victim);
gc_collect_cycles();
for ($roots = gc_status()['roots'], $most = gc_status()['threshold'] - 20; $roots < $most; ++$roots) {
    new Meddler();
}
Meddler::$victim = $victim;
$runs = gc_status()['runs'];
larder_store('k', $victim);
var_dump(gc_status()['runs'] === $runs);
Meddler::$victim = null;
var_dump(serialize($victim) === $right, serialize(larder_fetch('k')) === $right);

echo "-- properties that ArrayObject appended have integers for names\n";
foreach ([new stdClass(), new Open()] as $object) {
    $access = @new ArrayObject($object); // deprecated from PHP 8.5 on
    $access[] = 'appended';
    $access['named'] = new stdClass();
    foreach (['1', '0'] as $zeroCopy) {
        ini_set('larder.zero_copy', $zeroCopy);
        larder_store('k', $object);
        $fetched = larder_fetch('k');
        echo $fetched->{'0'}, ' ', var_export(serialize($fetched) === serialize(unserialize(serialize($object))), true), "\n";
    }
}
?>
--EXPECT--
no difference
no difference
-- the generator makes what is a graph, and what is serialized
bool(true)
-- neither the stored objects nor those of an earlier fetch are those of a fetch
bool(true)
bool(false)
-- destructors run once for each object fetched, and not for one that is a miss
int(0)
int(2)
-- cycles are collected
int(100)
-- their collector, which runs destructors, does not start while a value is stored
bool(true)
bool(true)
bool(true)
-- properties that ArrayObject appended have integers for names
appended true
appended true
appended true
appended true

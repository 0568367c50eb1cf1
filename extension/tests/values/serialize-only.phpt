--TEST--
An object with __serialize and without __unserialize keeps its protected properties, though igbinary loses them
--EXTENSIONS--
igbinary
--FILE--
<?php
require __DIR__ . '/../support.inc';
own_cache();

#[AllowDynamicProperties] // else what igbinary does would be a deprecation, too
class Half
{
    protected string $text = '';

    public function __construct(string $text)
    {
        $this->text = $text;
    }

    public function __serialize(): array
    {
        return ['text' => $this->text];
    }

    public function text(): string
    {
        return $this->text;
    }
}

class Plain
{
    public mixed $inner;
}

$half = new Half('kept');
$plain = new Plain();
$plain->inner = [$half];
$dynamic = (object) ['half' => $half];
foreach (['auto', 'php', 'igbinary'] as $serializer) {
    foreach ([0, 1] as $compact) {
        ini_set('larder.serializer', $serializer);
        ini_set('larder.compact', $compact);
        larder_store('k', [$half, $plain, $dynamic, $half]);
        [$first, $within, $object, $last] = larder_fetch('k');
        echo "$serializer $compact: ", $first->text(), ' ', count((array) $first), ' ', json_encode($first === $last),
            json_encode($within->inner[0] === $first), json_encode($object->half === $first), "\n";
    }
}

echo "in what others hold that write themselves\n";
class Sleeper
{
    public function __construct(public mixed $h, private mixed $left = null) {}
    public function __sleep(): array { return ['h']; }
}
class Writer
{
    public function __construct(public mixed $h) {}
    public function __serialize(): array { return [$this->h]; }
    public function __unserialize(array $data): void { $this->h = $data[0]; }
}
$storage = new SplObjectStorage();
$storage[new stdClass()] = $half;
$queue = new SplQueue();
$queue[] = $half;
$inner = new Sleeper([new ArrayObject([$half])]);
$gone = unserialize('O:4:"Gone":1:{s:1:"p";i:1;}');
$all = new Sleeper(new Writer(new ArrayObject([$half, $inner])), $gone);
$found = fn(mixed $of): mixed => match (true) {
    $of instanceof SplObjectStorage => $of[$of->current()],
    $of instanceof Traversable => $of[0],
    default => $of->h,
};
$halves = [new Sleeper($half), new Writer($half), new ArrayObject([$half]), $storage, $queue, SplFixedArray::fromArray([$half]), $all, $inner];
foreach (['auto', 'igbinary'] as $serializer) {
    ini_set('larder.serializer', $serializer);
    foreach ($halves as $value) {
        larder_store('k', $value);
        $got = larder_fetch('k');
        if ($got instanceof SplObjectStorage) {
            $got->rewind();
        }
        for ($got = $found($got); !$got instanceof Half; $got = is_array($got) ? $got[0] : $found($got)) {
        }
        echo $got->text(), ' ', count((array) $got), "\n";
    }
}

echo "only __unserialize, and none after a deployment\n";
const LATER = 'class Later { private $a = 5; }';
class Later
{
    public $a = 1;

    public function __unserialize(array $data): void {}
}
ini_set('larder.serializer', 'auto');
larder_store('k', new Later());
echo other_process(LATER . ' echo count((array) larder_fetch("k")), json_encode((array) larder_fetch("k")), "\n";');

echo "an object of a missing class in one of them, and what leads to very much\n";
ini_set('larder.serializer', 'auto');
larder_store('k', new ArrayObject([$gone]));
var_dump(larder_fetch('k')[0]::class);
$much = new ArrayObject(array_fill(0, 300_000, new DateTimeImmutable('@1')));
larder_store('k', new Sleeper(1, $much));
var_dump(larder_fetch('k')->h);

// PHP's serializer writes an array wherever it is: 2^40 times
ini_set('larder.serializer', 'auto');
ini_set('larder.compact', 0);
for ($array = [$half], $i = 0; $i < 40; $i++) {
    $array = [$array, $array];
}
echo json_encode(larder_store('k', $array)), ' ', json_encode(larder_last_error() === LARDER_ERROR_SIZE), "\n";
?>
--EXPECT--
auto 0: kept 1 truetruetrue
auto 1: kept 1 truetruetrue
php 0: kept 1 truetruetrue
php 1: kept 1 truetruetrue
igbinary 0: kept 1 truetruetrue
igbinary 1: kept 1 truetruetrue
in what others hold that write themselves
kept 1
kept 1
kept 1
kept 1
kept 1
kept 1
kept 1
kept 1
kept 1
kept 1
kept 1
kept 1
kept 1
kept 1
kept 1
kept 1
only __unserialize, and none after a deployment
1{"\u0000Later\u0000a":1}
an object of a missing class in one of them, and what leads to very much
string(22) "__PHP_Incomplete_Class"
int(1)
false true

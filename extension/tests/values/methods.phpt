--TEST--
Methods for serialization are called as serialize() and unserialize() call them
--FILE--
<?php
require __DIR__ . '/../support.inc';
own_cache(without: 'igbinary');

class Logged
{
    public function __construct(public string $name, public array $inner = [])
    {
    }

    public function __serialize(): array
    {
        echo "serialize $this->name; ";

        return ['name' => $this->name, 'inner' => $this->inner];
    }

    public function __unserialize(array $data): void
    {
        ['name' => $this->name, 'inner' => $this->inner] = $data;
        echo "unserialize $this->name, ", implode(' ', array_map(fn ($inner) => $inner->name ?? 'nameless', $this->inner)), '; ';
        if ($this->name === 'bad') {
            throw new Exception('bad');
        }
    }

    public function __destruct()
    {
        echo "destruct $this->name; ";
    }
}
class Woken
{
    private string $note = 'asleep';
    public ?Woken $above = null;

    public function __construct(public string $name = 'w', public mixed $inner = null)
    {
    }

    public function __sleep(): array
    {
        echo "sleep $this->name; ";
        $this->note = 'slept';

        return ['name', 'inner', 'note'];
    }

    public function __wakeup(): void
    {
        echo "wakeup $this->name ($this->note); ";
    }
}
function logged(string $name, object ...$inner): Logged
{
    return new Logged($name, $inner);
}

function compare(string $what, Closure $make): void
{
    foreach ([
        fn () => unserialize(serialize($make())),
        function () use ($make) {
            larder_store('k', $make());

            return larder_fetch('k', 'miss');
        },
    ] as $i => $way) {
        ob_start();
        try {
            $value = $way();
        } catch (Exception $e) {
            echo 'threw ', $e->getMessage(), '; ';
        }
        $shown = isset($value) && $value !== 'miss' ? print_r($value, true) : '';
        unset($value);
        $said[$i] = ob_get_clean();
        // the last part of what is said: destructors of what was not stored run in another order
        $said[$i] = preg_replace('/(destruct \w+; )+/', '', $said[$i]) . $shown;
    }
    echo "$what: ", $said[0] === $said[1] ? 'the same' : "\n$said[0]\n$said[1]", "\n";
}

compare('one', fn () => logged('a'));
compare('inner ones first', fn () => logged('a', logged('b', logged('c')), logged('d')));
compare('in arrays and objects', fn () => [(object) ['x' => logged('a', logged('b'))], [[logged('c')]]]);
compare('with __sleep() and __wakeup()', fn () => [new Woken('a', new Woken('b', logged('c'))), logged('d', new Woken('e'))]);
compare('a cycle', function () {
    $a = logged('a');
    $b = logged('b', $a);
    $a->inner = [$b];

    return [$a, $b];
});
compare('a date within', fn () => logged('a', new DateTimeImmutable('2020-02-03'), new ArrayObject([1, logged('b')])));
compare('a shared reference', function () {
    $object = (object) ['one' => 1, 'list' => [1, 2]];
    $object->two = &$object->one;
    $object->list[] = &$object->two;

    return [$object, logged('a')];
});

echo "-- an exception of a method is a miss, and ends the calls\n";
larder_store('k', $kept = [logged('a'), logged('bad'), logged('b')]);
echo "\n";
var_dump(larder_fetch('k', 'miss'));

echo "-- what __serialize() must return\n";
class Wrong
{
    public function __serialize()
    {
        return 1;
    }

    public function __unserialize(array $data): void
    {
    }
}
try {
    larder_store('k', [new Wrong()]);
} catch (TypeError $e) {
    echo $e->getMessage(), "\n";
}

echo "-- a class that has changed since\n";
class Changed extends Logged
{
}
larder_store('changed', [new Changed('c')]);
echo "\n";
foreach ([
    'class Changed { public $other; function __serialize(): array { return []; } function __unserialize(array $data): void { echo "called "; } }' => 'other properties',
    'class Changed { public $name; function __unserialize(array $data): void {} }' => 'one method',
    'class Changed { public $name, $inner; }' => 'no methods',
    'abstract class Changed { function __serialize(): array { return []; } function __unserialize(array $data): void {} }' => 'abstract',
    '' => 'no class',
] as $code => $what) {
    echo "$what: ", other_process($code . ' $f = larder_fetch("changed", "miss"); echo is_array($f) ? get_class($f[0]) : $f;'), "\n";
}
ob_start(); // destructors at the end
?>
--EXPECTF--
one: the same
inner ones first: the same
in arrays and objects: the same
with __sleep() and __wakeup(): the same
a cycle: the same
a date within: the same
a shared reference: the same
-- an exception of a method is a miss, and ends the calls
serialize a; serialize bad; serialize b; 
unserialize a, ; unserialize bad, ; destruct a; string(4) "miss"
-- what __serialize() must return
Wrong::__serialize() must return an array
-- a class that has changed since
serialize c; destruct c; 
other properties: called Changed
one method: miss
no methods: miss
abstract: miss
no class: miss
%A

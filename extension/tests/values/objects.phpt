--TEST--
Objects of each kind are restored, alone and inside arrays
--FILE--
<?php
require __DIR__ . '/../support.inc';
require __DIR__ . '/objects.inc';
own_cache();

function woken(WithSleep $object): WithSleep
{
    return unserialize(serialize($object));
}

come_back(function () {
    $std = new stdClass();
    $std->list = [1, 2, ['three' => 3]];
    $std->{'0'} = 'numeric name';
    $std->{''} = 'no name';
    $twice = new stdClass();
    $self = new stdClass();
    $self->self = $self;
    $child = new Child('given');
    $child->parent = new Child('of the parent');
    $storage = new SplObjectStorage();
    $storage[$twice] = 'data';
    $dynamic = new Plain();
    $dynamic->dynamic = ['x' => 1.5];

    $objects = [
        'stdClass' => $std,
        'empty' => new stdClass(),
        'DateTime' => new DateTime('2001-02-03 04:05:06.789', new DateTimeZone('Europe/Vienna')),
        'DateTimeImmutable' => new DateTimeImmutable('@0'),
        'DateInterval' => new DateInterval('P1DT2H'),
        'DateTimeZone' => new DateTimeZone('UTC'),
        'backed enum' => Suit::Hearts,
        'enum' => Direction::Down,
        'enum by constant' => Suit::Wild,
        'private and readonly' => $dynamic,
        'child' => $child,
        '__serialize' => WithSerialize::of(1, 'two', [3], null),
        '__sleep' => woken(new WithSleep()),
        'uninitialized' => new Uninitialized(),
        'ArrayObject' => new ArrayObject(['a' => 1, 2]),
        'SplObjectStorage' => $storage,
        'SplFixedArray' => SplFixedArray::fromArray([1, 'two', [3]]),
        'SplDoublyLinkedList' => (function () {
            $list = new SplDoublyLinkedList();
            $list->push('a');
            $list->push('b');

            return $list;
        })(),
        'of itself' => $self,
        'exception' => null,
    ];
    foreach ($objects as $name => $object) {
        yield $name => $object;
        yield "$name in an array" => ['deep' => ['er' => $object], 'beside' => [1, 'two']];
    }
    yield 'the same object twice' => [$twice, $twice, [$twice]];
});

// what serialize() cannot show: identity, enum cases, private state
larder_store('twice', [$one = new stdClass(), $one]);
larder_store('enums', ['h' => Suit::Hearts, 'd' => Direction::Up]);
larder_store('date', new DateTimeImmutable('2020-05-06'));
foreach (fetch_both('twice') as $twice) {
    var_dump($twice[0] === $twice[1]);
}
foreach (fetch_both('enums') as $enums) {
    var_dump($enums['h'] === Suit::Hearts, $enums['d'] === Direction::Up);
}
foreach (fetch_both('date') as $date) {
    var_dump($date == new DateTimeImmutable('2020-05-06'));
}
echo other_process('
    require "' . __DIR__ . '/objects.inc";
    var_dump(larder_fetch("date")->format("Y-m-d"), larder_fetch("enums")["h"] === Suit::Hearts);
');

// each fetch makes objects of its own
$a = larder_fetch('date');
var_dump($a === larder_fetch('date'));
?>
--EXPECT--
all came back
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
string(10) "2020-05-06"
bool(true)
bool(false)

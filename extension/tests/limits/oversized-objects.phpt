--TEST--
Serializing stops early for an object graph that is too large
--INI--
memory_limit=1G
--FILE--
<?php
require __DIR__ . '/../support.inc';
own_cache(['larder.size' => '64M']);

class Plain
{
    public function __construct(public mixed $a, protected mixed $b = null, private mixed $c = null) {}
}
class Counting
{
    public static int $serialized = 0;
    public function __serialize(): array
    {
        self::$serialized++;

        return [];
    }
}

function graph(int $objects, string $text): array
{
    $list = [new Counting()];
    for ($i = 0; $i < $objects; $i++) {
        $list[] = new Plain("$i $text", [$i => "b $i $text"], (object) ['c' => $i]);
    }

    return $list;
}

$too_large = [
    'a list of objects' => graph(60_000, str_repeat('text', 50)),
    'one in the other' => array_reduce(graph(60_000, str_repeat('text', 50)), fn ($inner, $object) => new Plain($object, $inner)),
    'an object of many properties' => (object) graph(60_000, str_repeat('text', 50)),
    'one long string' => [new Counting(), new Plain(str_repeat('x', 20 << 20))],
    'many numbers' => [new Counting(), new Plain(range(1, 4_000_000))],
    'many keys' => [new Counting(), new Plain(array_flip(array_map(fn ($i) => str_repeat("key $i ", 50), range(1, 40_000))))],
];
foreach (extension_loaded('igbinary') ? ['php', 'igbinary'] : ['php', 'php'] as $serializer) {
    ini_set('larder.serializer', $serializer);
    foreach ($too_large as $name => $value) {
        Counting::$serialized = 0;
        memory_reset_peak_usage();
        $before = memory_get_usage();
        $stored = larder_store('key', $value);
        $peak = memory_get_peak_usage() - $before;
        if ($stored || larder_last_error() !== LARDER_ERROR_SIZE || Counting::$serialized !== 0 || $peak > 16 << 20) {
            echo "$serializer, $name: ", json_encode([$stored, larder_last_error(), Counting::$serialized, $peak]), "\n";
        }
    }
}
unset($too_large);

// what fits is never refused, however often it refers to the same
$long = $referred = str_repeat('long', 1 << 18);
$references = [new Plain(1)];
for ($i = 0; $i < 100; $i++) {
    $references[] = &$referred;
}
eval('class Unfilled { ' . implode(' ', array_map(fn ($i) => "public int \$property_number_$i;", range(1, 50))) . ' }');
define('VERY_LONG', str_repeat('long', 5 << 20));
enum Backed: string
{
    case Long = VERY_LONG; // of which only the name is written
}
$fits = [
    'objects of which PHP has listed properties that are not set' => array_map(function () {
        $object = new Unfilled();
        foreach ($object as $_);

        return $object;
    }, range(1, 20_000)),
    'an enum of a long value' => [new Plain(1), Backed::Long],
    'a list of objects' => graph(2_000, str_repeat('text', 100)),
    'one object many times' => [new Counting(), array_fill(0, 100, new Plain($long))],
    'one reference many times' => $references,
];
foreach (['php', 'igbinary'] as $serializer) {
    if ($serializer === 'igbinary' && extension_loaded('igbinary')) {
        $fits['one string many times, which igbinary writes once'] = array_map(fn () => new Plain($long), range(1, 100));
        $fits['equal strings'] = array_map(fn ($i) => new Plain(str_repeat('long', (1 << 18) + $i % 2)), range(1, 20));
        ini_set('larder.serializer', 'igbinary');
    } else {
        ini_set('larder.serializer', 'php');
    }
    foreach ($fits as $name => $value) {
        if (!larder_store('key', $value) || serialize(larder_fetch('key')) !== serialize($value)) {
            echo "$serializer, $name: ", larder_last_error_msg(), "\n";
        }
    }
}

// a resource is found as before, and nothing is left marked
$value = [new Plain([STDIN]), new Plain(1)];
foreach ([1, 2] as $time) {
    try {
        larder_store('key', $value);
    } catch (Exception $e) {
        echo $e->getMessage(), "\n";
    }
}
echo count($value, COUNT_RECURSIVE), "\n";
?>
--EXPECT--
Serialization of 'resource' is not allowed
Serialization of 'resource' is not allowed
2

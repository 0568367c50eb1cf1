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
false true

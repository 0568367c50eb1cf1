--TEST--
Arrays keep their keys, order, holes and next index
--FILE--
<?php
require __DIR__ . '/../support.inc';
own_cache();

function without(array $array, int|string ...$keys): array
{
    foreach ($keys as $key) {
        unset($array[$key]);
    }

    return $array;
}

come_back(function () {
    yield 'empty' => [];
    yield 'emptied list' => without([1, 2, 3], 0, 1, 2);
    yield 'emptied map' => without(['a' => 1, 'b' => 2], 'a', 'b');
    for ($n = 1; $n <= 70; $n++) {
        yield "list of $n" => range(1, $n);
        yield "map of $n" => array_combine(array_map(fn ($i) => "key$i", range(1, $n)), range(1, $n));
        yield "numbers from the end, $n" => array_combine(range($n, 1), range(1, $n));
    }
    yield 'hole at the beginning' => without(range(0, 9), 0, 1);
    yield 'hole in the middle' => without(range(0, 9), 4, 5, 7);
    yield 'hole at the end' => without(range(0, 9), 9);
    yield 'more holes than elements' => without(range(0, 99), ...range(1, 98));
    yield 'holes in a map' => without(array_flip(array_map(fn ($i) => "k$i", range(0, 99))), ...array_map(fn ($i) => "k$i", range(0, 98, 2)));
    yield 'one left of a large map' => without(array_flip(array_map(fn ($i) => "k$i", range(0, 999))), ...array_map(fn ($i) => "k$i", range(1, 999)));
    yield 'mixed keys' => [5 => 'five', 'a' => 'A', 0 => 'zero', 'b' => ['c' => null], -7 => 'minus', '' => 'empty key'];
    yield 'numeric strings' => ['1' => 'int', '01' => 'string', '1.0' => 'string', '-0' => 'string', '9223372036854775807' => 'int', '9223372036854775808' => 'string'];
    yield 'largest index' => [PHP_INT_MAX => 'no next one'];
    yield 'smallest index' => [PHP_INT_MIN => 'first', 'x'];
    yield 'negative index' => [-5 => 'a'];
    yield 'binary keys' => ["\0" => 1, "\xff\xfe" => 2, "a\0b" => 3];
    yield 'numeric string as a key, from an object' => (array) json_decode('{"10":"a","b":"c"}');
    yield 'nested' => [[], [[]], [[[]], 'a' => []], [without([1], 0)]];
    yield 'rows' => array_map(fn ($i) => ['id' => $i, 'name' => "name $i", 'tags' => ["t$i", 'all'], 'price' => $i / 7], range(1, 200));
    yield 'rows of other numbers' => [[1 => 'a', 9 => 'b'], [2 => 'a', 9 => 'b'], [1 => 'a', 9 => 'b']];
    yield 'rows of other next indexes' => [[5 => 'a', 1 => 'b'], without([5 => 'a', 1 => 'b', 8 => 'c'], 8), ['x' => 1], without(['x' => 1, 3 => 2], 3)];
    yield 'rows of JSON' => json_decode(json_encode(array_map(fn ($i) => ['id' => $i, 'name' => "n$i", 'in' => ['x' => 1]], range(1, 100))), true);
    yield 'keys that share hash chains' => array_fill_keys(array_map(fn ($i) => $i * 64, range(0, 40)), 'x');
    yield 'keys of one hash' => ['Ez' => 1, 'FY' => 2, 'EzEz' => 3, 'EzFY' => 4, 'FYEz' => 5, 'FYFY' => 6];
    yield 'long' => range(1, 50000);
    yield 'wide' => array_combine(array_map(fn ($i) => md5((string) $i), range(1, 5000)), range(1, 5000));
    yield 'a literal' => ['a' => [1, 2, ['b' => 'c']], 'd' => 'e'];
    yield 'of superglobals' => ['GLOBALS' => array_intersect_key($GLOBALS, ['argc' => 1])];
});
?>
--EXPECT--
all came back

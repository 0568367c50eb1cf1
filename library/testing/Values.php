<?php

declare(strict_types=1);

namespace Larder\Testing;

use Larder\Testing\Value\Journey;
use Larder\Testing\Value\Money;
use Larder\Testing\Value\Sleeper;
use Larder\Testing\Value\Suit;

/** Values and keys that every store must accept, by name. */
final class Values
{
    /** @return iterable<string, array{mixed}> */
    public static function all(): iterable
    {
        yield 'null' => [null];
        yield 'false' => [false];
        yield 'true' => [true];
        foreach ([0, 1, -1, \PHP_INT_MAX, \PHP_INT_MIN] as $int) {
            yield 'int ' . $int => [$int];
        }
        foreach ([
            '0.1' => 0.1, '-0.0' => -0.0, 'NAN' => \NAN, 'INF' => \INF, '-INF' => -\INF, 'smallest' => 5e-324,
            '1e308' => 1e308,
        ] as $name => $float) {
            yield 'float ' . $name => [$float];
        }
        yield 'empty string' => [''];
        yield 'numeric string' => ['007'];
        yield 'all bytes' => [implode('', array_map(chr(...), range(0, 255)))];
        yield 'text that looks like PHP' => ["'; exit; ?><?php echo `id`; // \$x {\$y} \\ \\' \r\n <?= 1 ?>"];
        yield 'text that looks serialized' => ['O:8:"stdClass":0:{}'];
        yield 'text that looks like an envelope' => ["\1" . str_repeat("\0", 20)];
        yield '100 kB of noise' => [random_bytes(100_000)];
        yield 'empty array' => [[]];
        yield 'list' => [[1, 'two', 3.0, null, [true]]];
        yield 'list with holes' => [[3 => 'a', 1 => 'b']];
        yield 'map' => [['a' => 1, '' => 2, '7' => 3, "\0" => 4, 'é' => [5 => ['deep' => []]]]];
        yield 'array of specials' => [[\NAN, \INF, -\INF, -0.0, \PHP_INT_MIN, 'R:1;']];
        yield '50 x 50' => [array_fill(
            0,
            50,
            array_fill_keys(array_map(static fn(int $i): string => 'column ' . $i, range(1, 50)), 'value'),
        )];
        yield '200 levels' => [array_reduce(range(1, 200), static fn(array $inner): array => ['down' => $inner], [])];
        yield 'array that looks wrapped' => [["\0larder", 1.0, 'x']];
        yield 'stdClass' => [(object) ['a' => 1, 'b' => (object) []]];
        yield 'enum' => [Suit::Spades];
        yield 'date' => [new \DateTimeImmutable('2001-02-03 04:05:06.789', new \DateTimeZone('Europe/Riga'))];
        yield 'private and readonly properties' => [new Money(100, Suit::Hearts, new Money(5, Suit::Spades))];
        yield '__serialize' => [new Journey(['Riga', 'Kraków'])];
        yield '__sleep' => [new Sleeper('sheep')];
        yield 'objects in arrays' => [[1, ['x' => new Money(1, Suit::Hearts)], Suit::Hearts]];
        $shared = (object) ['n' => 1];
        yield 'one object twice' => [[$shared, $shared]];
        $number = 1;
        yield 'shared reference' => [['a' => &$number, 'b' => &$number]];
        $recursive = ['name' => 'loop'];
        $recursive['self'] = &$recursive;
        yield 'recursive array' => [$recursive];
        $circle = new \stdClass();
        $circle->self = $circle;
        yield 'recursive object' => [$circle];
    }

    /** @return iterable<string, array{string}> */
    public static function keys(): iterable
    {
        yield 'one byte' => ['k'];
        yield 'zero' => ['0'];
        yield 'number' => ['123'];
        yield 'negative number' => ['-5'];
        yield 'leading zeros' => ['007'];
        yield 'upper case' => ['K'];
        yield 'NUL' => ["\0"];
        yield 'NUL inside' => ["a\0b"];
        yield 'NUL at the end' => ["a\0"];
        yield 'space at the end' => ['a '];
        yield 'spaces' => ['a b  c'];
        yield 'line feed' => ["a\r\nb"];
        yield 'path' => ['../../etc/passwd'];
        yield 'dots' => ['..'];
        yield 'slash' => ['/'];
        yield 'glob' => ['*?[a-z]*'];
        yield 'quotes' => ['\'"`\\'];
        yield 'SQL wildcards' => ['100%_'];
        yield 'colon' => [':'];
        yield 'PSR reserved' => ['{}()/\@:'];
        yield 'UTF-8' => ['ключ-ėąß'];
        yield 'invalid UTF-8' => ["\xff\xfe\x80"];
        yield 'code' => ["'; system('id'); //"];
        yield 'tag' => ['?><?php'];
        foreach ([35, 36, 48, 49, 64, 200, 250, 251, 1000, 65_500, 65_535] as $length) {
            yield $length . ' bytes' => [str_pad('', $length, 'key-')];
        }
        yield '65,535 zeros' => [str_repeat("\0", 65_535)];
    }
}

<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Apcu;

/**
 * Random values of every kind that can be cached, except arrays that contain themselves: serialize() cuts those off.
 */
final class Values
{
    private const STRINGS = ['', 'x', 'text', "\0\xff binary", 'déjà vu', '1', '-5', '1.5', "line\n", 'a longer text that is not short any more'];

    public static function any(int $depth = 0): mixed
    {
        return match (mt_rand(0, $depth < 4 ? 19 : 9)) {
            0 => null,
            1 => mt_rand(0, 1) === 1,
            2 => [0, 1, -1, \PHP_INT_MAX, \PHP_INT_MIN][mt_rand(0, 4)],
            3 => mt_rand(-1000, 1000),
            4 => [0.0, -0.0, 1.5, \NAN, \INF, -\INF, 1e300][mt_rand(0, 6)],
            5 => str_repeat('long ', mt_rand(1, 500)),
            6, 7, 8, 9 => self::STRINGS[mt_rand(0, \count(self::STRINGS) - 1)],
            10, 11 => self::list($depth),
            12, 13 => self::map($depth),
            14 => self::withReferences($depth),
            15 => self::withHoles($depth),
            16 => [],
            17, 18 => self::object($depth),
            19 => self::sharing($depth),
        };
    }

    /** @return list<mixed> */
    private static function list(int $depth): array
    {
        $list = [];
        for ($i = mt_rand(0, 5); $i > 0; $i--) {
            $list[] = self::any($depth + 1);
        }

        return $list;
    }

    /** @return array<mixed> */
    private static function map(int $depth): array
    {
        $map = [];
        for ($i = mt_rand(0, 5); $i > 0; $i--) {
            $map[[mt_rand(-3, 3), 'key' . mt_rand(0, 9), '', "\0*\0k"][mt_rand(0, 3)]] = self::any($depth + 1);
        }

        return $map;
    }

    /** @return array<mixed> */
    private static function withReferences(int $depth): array
    {
        $shared = self::any($depth + 1);
        $other = self::any($depth + 1);

        return ['a' => &$shared, 'b' => $other, 'c' => &$shared, 'd' => [&$other, &$shared]];
    }

    /** @return array<mixed> */
    private static function withHoles(int $depth): array
    {
        $holes = range(0, mt_rand(3, 9));
        unset($holes[mt_rand(0, 3)]);
        $holes[mt_rand(0, 20)] = self::any($depth + 1);

        return $holes;
    }

    /** @return array<mixed> */
    private static function sharing(int $depth): array
    {
        $object = self::object($depth);
        $array = self::map($depth);

        return [$object, $array, 'again' => $object, [$array, $object]];
    }

    private static function object(int $depth): object
    {
        switch (mt_rand(0, 8)) {
            case 0:
                return (object) self::map($depth);
            case 1:
                return new \ArrayObject(self::list($depth));
            case 2:
                return new \DateTimeImmutable('@' . mt_rand(0, 1_000_000_000));
            case 3:
                return Suit::cases()[mt_rand(0, 1)];
            case 4:
                return new Plain(mt_rand(0, 9), self::any($depth + 1));
            case 5:
                return new Sleeping(self::any($depth + 1));
            case 6:
                return new Serializing(self::any($depth + 1));
            case 7:
                $parent = new \stdClass();
                $parent->child = new Plain(1, $parent);

                return $parent;
            default:
                $list = new \SplObjectStorage();
                $list[new Plain(1, self::any($depth + 1))] = 'data';

                return $list;
        }
    }
}

enum Suit: string
{
    case Hearts = 'h';
    case Spades = 's';
}

class Plain
{
    protected int $private = 5;

    public function __construct(public readonly int $number, private mixed $value) {}

    public function value(): mixed
    {
        return $this->value;
    }
}

final class Sleeping
{
    private string $made = 'at construction';

    public function __construct(public mixed $kept, public string $dropped = 'set') {}

    /** @return list<string> */
    public function __sleep(): array
    {
        return ['kept'];
    }

    public function __wakeup(): void
    {
        $this->made = 'awake';
    }

    public function made(): string
    {
        return $this->made;
    }
}

final class Serializing
{
    public function __construct(private mixed $value) {}

    /** @return array<mixed> */
    public function __serialize(): array
    {
        return ['v' => $this->value, 5];
    }

    /** @param array<mixed> $data */
    public function __unserialize(array $data): void
    {
        $this->value = [$data['v'] ?? null];
    }
}

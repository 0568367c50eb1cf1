<?php

declare(strict_types=1);

namespace Larder\Cli\Study;

use Larder\Cli\Compare\Value;

/**
 * The values of the studies, under their names there. Those of 2013 and the 50 x 50 array are the values of `compare`.
 */
final class Values
{
    /** Values of the study of 2008, the largest first as in its loops: length in bytes, iterations. */
    public const OF_2008 = [
        '1 MB serialized array' => [1_028_299, 10],
        '100 KB serialized array' => [101_600, 100],
        '10 KB serialized array' => [10_081, 1_000],
        '1 KB serialized array' => [1_010, 10_000],
    ];

    /** Fixed, so that each process creates the same values. Its number does not matter. */
    private const SEED = 2008;

    /** Added to the number of a variant, so that it always has the same number of digits. */
    private const MARK = 10_000_000;

    /** @var non-empty-array<string, Value>|null */
    private static ?array $all = null;

    /** @return non-empty-array<string, Value> by name */
    public static function all(): array
    {
        return self::$all ??= self::make();
    }

    /** @return non-empty-array<string, Value> */
    private static function make(): array
    {
        $values = Value::all();
        foreach (self::OF_2008 as $name => [$bytes]) {
            $values[$name] = self::serialized($name, $bytes);
        }
        $square = $values['50 x 50 array'];
        $string = static fn(int $variant): string => serialize($square->make(self::MARK + $variant));
        $values['20 KB string'] = new Value('20 KB string', false, \strlen($string(0)), $string);
        $values['short value'] = self::short('short value', 10);
        $values['11 b'] = self::short('11 b', 11);

        return $values;
    }

    /** A serialized array of random numbers. Its last element is a string that brings it to the length in the study. */
    private static function serialized(string $name, int $bytes): Value
    {
        mt_srand(self::SEED);
        $elements = '';
        $count = 1;
        for (; $bytes - \strlen($elements) > 100; ++$count) {
            $elements .= \sprintf('i:%d;i:%d;', $count, mt_rand());
        }
        mt_srand();
        $make = static fn(int $variant, string $last = ''): string
            => \sprintf(
                'a:%d:{i:0;i:%d;%si:%d;s:%d:"%s";}',
                $count + 1,
                self::MARK + $variant,
                $elements,
                $count,
                \strlen($last),
                $last,
            );
        // minus 1: the length of the last string has two digits instead of one
        $last = str_repeat('x', $bytes - \strlen($make(0)) - 1);

        return new Value($name, false, $bytes, static fn(int $variant): string => $make($variant, $last));
    }

    private static function short(string $name, int $bytes): Value
    {
        return new Value(
            $name,
            false,
            $bytes,
            static fn(int $variant): string => \sprintf('%0' . $bytes . 'd', $variant),
        );
    }
}

<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Study;

use Larder\Cli\Study\Values;
use PHPUnit\Framework\TestCase;

final class ValuesTest extends TestCase
{
    public function testEveryStringHasTheLengthOfItsStudyInEveryVariant(): void
    {
        foreach (Values::all() as $name => $value) {
            foreach ([0, 1, 99_999] as $variant) {
                $made = $value->make($variant);
                self::assertSame(
                    $value->bytes,
                    \is_string($made) ? \strlen($made) : \strlen(serialize($value->make(0))),
                    "$name, variant $variant",
                );
            }
            self::assertNotEquals($value->make(1), $value->make(2), $name);
        }
        self::assertSame(
            [1_028_299, 101_600, 10_081, 1_010],
            array_map(static fn(string $name): int => Values::all()[$name]->bytes, array_keys(Values::OF_2008)),
        );
    }

    public function testValuesOf2008AreSerializedArraysOfRandomNumbers(): void
    {
        foreach (array_keys(Values::OF_2008) as $name) {
            $string = Values::all()[$name]->make(7);
            self::assertIsString($string);
            $array = unserialize($string);
            self::assertIsArray($array, $name);
            array_pop($array);
            self::assertContainsOnlyInt($array, $name);
            self::assertCount(\count($array), array_count_values($array), $name);
        }
    }
}

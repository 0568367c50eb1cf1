<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Compare;

use Larder\Cli\Compare\Value;
use PHPUnit\Framework\TestCase;

final class ValueTest extends TestCase
{
    /** Names and lengths must be those of the studies, because published figures are looked up by them. */
    public function testValuesAreThoseOfTheStudies(): void
    {
        /** @var array{rows: list<array{study: string, table: string, value: ?string, bytes: ?int}>} $published */
        $published = json_decode((string) file_get_contents(\dirname(__DIR__, 2) . '/data/published.json'), true);
        $names = [];
        foreach ($published['rows'] as $row) {
            if ($row['table'] === 'read, 13 values') {
                $names[(string) $row['value']] = $row['bytes'];
            }
        }
        $values = Value::all();
        self::assertSame([...array_keys($names), '50 x 50 array'], array_keys($values));
        foreach ($names as $name => $bytes) {
            self::assertSame($bytes, $values[$name]->isArray ? null : $values[$name]->bytes);
        }
    }

    public function testVariantsDifferAndHaveTheSameLength(): void
    {
        foreach (Value::all() as $name => $value) {
            $made = $value->make(1);
            self::assertSame($made, $value->make(1), $name);
            self::assertNotSame($made, $value->make(2), $name);
            self::assertSame($value->bytes, \strlen(\is_string($made) ? $made : serialize($made)), $name);
        }
    }

    public function testArraysAreThoseOfTheStudies(): void
    {
        $values = Value::all();
        self::assertSame(
            ['1111111110', 'id2' => 'hello world', 'id3' => 'foo bar', 'id4' => 42],
            $values['array of 4']->make(0),
        );
        $square = $values['50 x 50 array']->make(0);
        self::assertIsArray($square);
        self::assertSame([50, 50], [\count($square), \count((array) $square[49])]);
        self::assertEqualsWithDelta(20_000, $values['50 x 50 array']->bytes, 5_000);
    }
}

<?php

declare(strict_types=1);

namespace Larder\Tests\Namespaces;

use PHPUnit\Framework\TestCase;

/** That NamespacesContract notices namespaces that meet. */
final class ControlsTest extends TestCase
{
    private const TESTS = ['testEachHasItsOwnValues', 'testClearEmptiesOne', 'testEachHasItsOwnTags'];

    public function testNamesThatAreToldApartHold(): void
    {
        self::assertSame([true, true, true], array_map(ControlOfNamespaces::separatedBy(':')->holds(...), self::TESTS));
    }

    public function testNamesThatRunIntoKeysAreNoticed(): void
    {
        $without = ControlOfNamespaces::separatedBy('');
        self::assertSame([false, false, false], array_map($without->holds(...), self::TESTS));
        self::assertFalse(ControlOfNamespaces::separatedBy('_')->holds('testEachHasItsOwnValues'));
    }

    public function testAClearThatEmptiesTheWholePlaceIsNoticed(): void
    {
        self::assertSame([true, false, false], array_map(ControlOfNamespaces::separatedBy(':', clearsAll: true)->holds(...), self::TESTS));
    }
}

<?php

declare(strict_types=1);

namespace Larder\Tests\Contract;

use PHPUnit\Framework\TestCase;

/** NamespacesContract fails for namespaces that are not separate. */
final class NamespacesControlTest extends TestCase
{
    private const TESTS = [
        'testEachNamespaceHasItsOwnValues',
        'testClearEmptiesOneNamespace',
        'testEachNamespaceHasItsOwnTags',
    ];

    public function testSeparatedNamespacesPass(): void
    {
        self::assertSame([true, true, true], array_map(CollidingNamespaces::separatedBy(':')->holds(...), self::TESTS));
    }

    public function testCollidingNamespacesFail(): void
    {
        $without = CollidingNamespaces::separatedBy('');
        self::assertSame([false, false, false], array_map($without->holds(...), self::TESTS));
        self::assertFalse(CollidingNamespaces::separatedBy('_')->holds('testEachNamespaceHasItsOwnValues'));
    }

    public function testClearOfTheWholeStoreFails(): void
    {
        self::assertSame(
            [true, false, false],
            array_map(CollidingNamespaces::separatedBy(':', clearsAll: true)->holds(...), self::TESTS),
        );
    }
}

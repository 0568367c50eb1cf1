<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Engine;

use PHPUnit\Framework\Assert;

/** The capacity of a cache, which is smaller if a killed process lost pages. */
final class Capacity
{
    private const ENTRIES_A_PAGE = 2;
    private const PAGES_HELD_ARE_COUNTED_EVERY = 100_000; // microseconds

    /** Stores more than fits; returns the number of refused stores and of entries at the end. */
    private const FILL = <<<'PHP'
        larder_clear();
        $value = str_repeat('x', 30_000);
        for ($i = 0, $refused = 0; $i < 600; ++$i) {
            $refused += !larder_store("room $i", $value);
        }
        for ($i = 0, $kept = 0; $i < 600; ++$i) {
            $kept += larder_exists("room $i");
        }
        $info = larder_info();
        unset($value);
        return [
            'kept' => $kept, 'refused' => $refused, 'limbo' => $info['memory']['limbo'], 'run' => $info['memory']['large'],
            'held' => array_sum(array_column($info['processes']['holders'], 'pages')),
        ];
        PHP;

    /** Empties the cache, and checks that it holds as much as a new one, and that no page is excluded from reuse. */
    public static function assertIsWhole(Php $php, Sandbox $sandbox): void
    {
        $new = self::fill($sandbox->commandLine(ini: ['larder.segment' => 'new']));
        usleep(self::PAGES_HELD_ARE_COUNTED_EVERY + 10_000);
        $old = self::fill($php);
        // Both logs have an open page that may be half full, at the beginning and at the end; one page is in reserve,
        // and one may be begun. Of 40 fills, two kept seven entries fewer than a new cache does, and none eight.
        Assert::assertEqualsWithDelta($new['kept'], $old['kept'], 4 * self::ENTRIES_A_PAGE, 'pages were lost');
        unset($new['kept'], $old['kept']);
        Assert::assertSame($new, $old);
    }

    /** @return array<mixed> */
    private static function fill(Php $php): array
    {
        $figures = $php->run(self::FILL);

        return \is_array($figures) ? $figures : throw new PhpFailed('no figures');
    }
}

<?php

declare(strict_types=1);

namespace Larder\Tests\Contract;

use Larder\Contract\Capability;
use Larder\Drivers;
use PHPUnit\Framework\TestCase;

/** The table of capabilities in docs/stores.md matches the code. */
final class CapabilityTableTest extends TestCase
{
    public function testTableMatchesTheCode(): void
    {
        $rows = self::rows();
        $headings = self::headings();
        self::assertSame(['store', ...array_keys($headings)], array_shift($rows));
        self::assertSame(Capability::cases(), array_values($headings));
        $stores = array_column($rows, 0);
        foreach (array_values($headings) as $column => $capability) {
            $said = array_combine($stores, array_column($rows, $column + 1));
            $done = array_map(
                static fn(string $class): string => is_a($class, $capability->value, true) ? 'yes' : '',
                Drivers::stores(),
            );
            self::assertEquals($done, $said, $capability->words());
        }
    }

    public function testTableHasOneRowPerStore(): void
    {
        self::assertEqualsCanonicalizing(array_keys(Drivers::stores()), array_column(\array_slice(self::rows(), 1), 0));
    }

    /** @return array<string, Capability> headings of the columns */
    private static function headings(): array
    {
        return [
            'atomic' => Capability::Atomic,
            'lock' => Capability::Lock,
            'keys' => Capability::Keys,
            'expiry' => Capability::Expiry,
            'prune' => Capability::Prune,
        ];
    }

    /** @return non-empty-list<non-empty-list<string>> */
    private static function rows(): array
    {
        $page = (string) file_get_contents(\dirname(__DIR__, 3) . '/docs/stores.md');
        self::assertSame(1, preg_match('/^\| store \|.*\n(?:\|.*\n)+/m', $page, $table));
        $rows = [];
        foreach (explode("\n", trim($table[0])) as $i => $line) {
            if ($i !== 1) { // the line under the headings
                $cells = array_map(trim(...), explode('|', trim($line, '|')));
                foreach (explode(', ', $cells[0]) as $store) {
                    $rows[] = [$store, ...\array_slice($cells, 1)];
                }
            }
        }
        self::assertNotEmpty($rows);

        return $rows;
    }
}

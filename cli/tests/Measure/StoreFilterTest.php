<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Measure;

use Larder\Cli\Command\Suites;
use Larder\Cli\Compare\StoreLocations;
use Larder\Cli\Measure\StoreFilter;
use PHPUnit\Framework\TestCase;

final class StoreFilterTest extends TestCase
{
    public function testStoresThatAreNotNamedAreLeftOutAndTold(): void
    {
        $only = new StoreFilter(['apcu', 'file']);
        self::assertSame(
            ['apcu', 'file (one handle)', 'empty'],
            $only->of(['larder', 'apcu', 'file (one handle)', 'redis', 'empty']),
        );
        self::assertSame(['larder', 'redis'], $only->leftOut());
        self::assertTrue((new StoreFilter())->has('redis'));
    }

    /** The suites of each study and workload start no server for stores that are left out. */
    public function testSuitesMeasureTheNamedStoresAlone(): void
    {
        $locations = new StoreLocations();
        $found = [];
        foreach (Suites::kinds() as $kind) {
            foreach (array_diff(Suites::names($kind), ['2008', 'sail']) as $name) { // these two also have a web server
                $only = new StoreFilter(['file']);
                foreach (Suites::named($kind, $name, $locations, $only) as $suite) {
                    foreach ($suite->blocks(static function (): void {}) as $block) {
                        foreach ($block->subjects() as $subject) {
                            $found[$subject->settings['on'] ?? $subject->store][$name] = true;
                        }
                    }
                }
                self::assertNotSame([], $only->leftOut(), $name);
            }
        }
        self::assertSame(['file'], array_keys($found));
        self::assertGreaterThan(6, \count($found['file']));
        self::assertSame([], $locations->serverVersions());
    }
}

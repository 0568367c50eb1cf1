<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Workload;

use Larder\Cli\Command\Suites;
use Larder\Cli\Compare\StoreLocations;
use Larder\Cli\Measure\Subject;
use PHPUnit\Framework\TestCase;

final class AllTest extends TestCase
{
    /** All workloads may be in one run, which distinguishes rows by subjects, and blocks by names. */
    public function testNamesAndSubjectsDiffer(): void
    {
        $locations = new StoreLocations();
        $names = $keys = [];
        foreach (Suites::named('workload', Suites::ALL, $locations) as $suite) {
            foreach ($suite->blocks(static function (Subject $subject, string $reason): void {
                self::assertNotSame('', $reason);
            }) as $block) {
                $names[] = $block->name();
                foreach ($block->subjects() as $subject) {
                    self::assertMatchesRegularExpression(
                        '/^(latency|rate|memory|pressure|objects|peers|stampede|safety): /',
                        $subject->table,
                    );
                    $keys[] = $subject->key();
                }
            }
        }
        self::assertGreaterThan(40, \count($names));
        self::assertSame($names, array_values(array_unique($names)));
        self::assertSame($keys, array_values(array_unique($keys)));
    }
}

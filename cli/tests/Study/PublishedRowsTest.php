<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Study;

use Larder\Cli\Compare\StoreLocations;
use Larder\Cli\Measure\Block;
use Larder\Cli\Measure\Subject;
use Larder\Cli\Report\Published;
use Larder\Cli\Study\PublishedRows;
use Larder\Cli\Study\Study;
use Larder\Cli\Study\Study2008;
use Larder\Cli\Study\Study2013;
use Larder\Cli\Study\Study2016;
use Larder\Cli\Study\StudySail;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

/** Uses the suites with their real servers, and measures nothing. */
final class PublishedRowsTest extends TestCase
{
    private StoreLocations $locations;

    protected function setUp(): void
    {
        $this->locations = new StoreLocations();
    }

    protected function tearDown(): void
    {
        $this->locations->close();
    }

    /** @param class-string<Study> $study */
    #[TestWith([Study2008::class])]
    #[TestWith([Study2013::class])]
    #[TestWith([Study2016::class])]
    #[TestWith([StudySail::class])]
    public function testEveryPublishedFigureStandsBesideARowOrIsHistoric(string $study): void
    {
        $suite = new $study($this->locations);
        $tables = $suite::tables();
        $published = array_filter(
            Published::load()->rows(),
            static fn(array $figure): bool => \in_array($figure['study'] . ': ' . $figure['table'], $tables, true),
        );
        self::assertNotSame([], $published);
        $found = $historic = 0;
        foreach (self::subjects($suite) as $subject) {
            self::assertContains($subject->table, $tables);
            $found += $suite->published($subject) === null ? 0 : 1;
            foreach ($suite->notes($subject) as $note) {
                $found += str_starts_with($note, PublishedRows::OTHERS) ? 1 + substr_count($note, '), ') : 0;
            }
        }
        $ofApc = \count(array_filter($published, static fn(array $figure): bool => $figure['engine'] === 'apc'));
        foreach ($suite->historic() as $row) {
            self::assertTrue($row->isHistoric());
            self::assertMatchesRegularExpression(
                '/^historic: PHP 8 has no \w+; \w+ took its place here$/',
                implode(' ', $row->notes),
            );
            ++$historic;
        }

        // APC's figures are shown for apcu too.
        self::assertSame(\count($published), $found - $ofApc + $historic);
    }

    /** @param class-string<Study> $study */
    #[TestWith([Study2008::class])]
    #[TestWith([Study2016::class])]
    public function testRowsAndBlocksOfASuiteDiffer(string $study): void
    {
        $suite = new $study($this->locations);
        $keys = array_map(static fn(Subject $subject): string => $subject->key(), self::subjects($suite));
        self::assertSame(array_values(array_unique($keys)), $keys);
        $names = array_map(
            static fn(Block $block): string => $block->name(),
            $suite->blocks(static function (): void {}),
        );
        self::assertSame(array_values(array_unique($names)), $names);
    }

    /** @param array<string, string> $settings */
    #[TestWith(['2008: set then get, loop', 'memcache', 'tcp', '1 KB serialized array', 'set+get', [], 480_400.0])]
    #[TestWith([
        '2008: set then get, loop', 'file (one handle)', 'disk', '1 MB serialized array', 'set+get', [], 233_600_000.0,
    ])]
    #[TestWith(['2008: set then get, loop', 'file', 'disk', '1 MB serialized array', 'set+get', [], 257_100_000.0])]
    #[TestWith(['2008: read in a loop, mean of one read', 'apcu', null, '1 KB serialized array', 'get', [], 173_000.0])]
    #[TestWith(['2008: read in a loop, mean of one read', 'larder', null, '1 KB serialized array', 'get', [], null])]
    #[TestWith(['2013: read, 13 values', 'apcu', null, '10b', 'get', [], 250.0])]
    #[TestWith(['2013: read, 13 values', 'php-file', 'disk', '1k', 'get', [], 1_870.0])]
    #[TestWith(['2013: read, 13 values', 'php-file', 'disk', '1k', 'get', ['php' => 'no opcache'], null])]
    #[TestWith(['2013: read, 13 values', 'file', 'tmpfs', '1k', 'get', [], null])]
    #[TestWith([
        '2016: write, short value', 'memcached', 'tcp', 'short value', 'set', ['compression' => 'zlib'], 22_000.0,
    ])]
    #[TestWith(['2016: write, short value', 'memcached', 'tcp', 'short value', 'set', [], 21_000.0])]
    #[TestWith([
        '2016: write, short value', 'redis', 'tcp', 'short value', 'set', ['processes' => '10 processes'], 23_000.0,
    ])]
    #[TestWith([
        '2016: write, short value', 'redis', 'network', 'short value', 'set', ['rate' => '100 Mbit/s'], 557_000.0,
    ])]
    #[TestWith(['2016: write, short value', 'redis', 'network', 'short value', 'set', ['rate' => '1 Gbit/s'], null])]
    #[TestWith([
        '2016: read, 50 x 50 array', 'redis', 'tcp', '50 x 50 array', 'get', ['serializer' => 'igbinary'], 408_000.0,
    ])]
    #[TestWith([
        '2016: read, 50 x 50 array', 'redis', 'tcp', '50 x 50 array', 'get', ['serializer' => 'php'], 702_000.0,
    ])]
    #[TestWith(['sail: gets on an open connection', 'redis', 'tcp', '11 b', 'get', [], 30_500.0])]
    public function testFigureIsOfTheSameStoreValueAndSettings(
        string $table,
        string $store,
        ?string $connection,
        string $value,
        string $operation,
        array $settings,
        ?float $nanoseconds,
    ): void {
        $figure = (new PublishedRows(Published::load()))
            ->first(new Subject($table, $store, $connection, $value, null, $operation, settings: $settings));
        if ($nanoseconds === null) {
            self::assertNull($figure);
        } else {
            self::assertEqualsWithDelta($nanoseconds, $figure->figure ?? null, 1.0);
        }
    }

    /** @return list<Subject> */
    private static function subjects(Study $suite): array
    {
        $subjects = [];
        $blocks = $suite->blocks(static function (Subject $subject) use (&$subjects): void {
            $subjects[] = $subject;
        });
        foreach ($blocks as $block) {
            array_push($subjects, ...$block->subjects());
        }

        return $subjects;
    }
}

<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Http;

use Larder\Cli\Compare\StoreLocations;
use Larder\Cli\Http\PageSuite;
use Larder\Cli\Http\ReadPerRequest;
use Larder\Cli\Http\SailPages;
use Larder\Cli\Measure\Subject;
use Larder\Cli\Report\Kind;
use Larder\Cli\Report\Published;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

final class PageSuitesTest extends TestCase
{
    /** @param class-string<PageSuite> $class */
    #[TestWith([SailPages::class])]
    #[TestWith([ReadPerRequest::class])]
    public function testEachPublishedFigureStandsBesideARowOrIsHistoric(string $class): void
    {
        $locations = new StoreLocations();
        $suite = new $class($locations);
        $figures = $names = [];
        foreach ($suite->blocks(static function (Subject $subject): void {}) as $block) {
            $names[] = $block->name();
            foreach ($block->subjects() as $subject) {
                $figures[] = self::label($subject->table, $subject->value, $suite->published($subject)?->engine);
            }
        }
        foreach ($suite->historic() as $row) {
            $figures[] = self::label($row->subject->table, $row->subject->value, $row->published?->engine);
        }
        $locations->close();
        self::assertSame($names, array_unique($names));
        $published = array_filter(
            Published::load()->rows(),
            static fn(array $row): bool => \in_array($row['study'] . ': ' . $row['table'], $class::tables(), true),
        );
        self::assertNotEmpty($published);
        foreach ($published as $row) {
            self::assertContains(
                self::label($row['study'] . ': ' . $row['table'], $row['value'], $row['engine']),
                $figures,
            );
        }
    }

    /** Otherwise "empty" would be the best store in ranks and scores. */
    public function testPagesWithoutStoreAreNoRivals(): void
    {
        self::assertSame(
            [Kind::Process, Kind::Process, Kind::Local],
            array_map(Kind::of(...), ['empty', 'literal', 'larder']),
        );
    }

    private static function label(string $table, ?string $value, ?string $engine): string
    {
        return \sprintf('%s, %s, %s', $table, $value, $engine);
    }
}

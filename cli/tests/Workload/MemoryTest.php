<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Workload;

use Larder\Cli\Compare\StoreLocations;
use Larder\Cli\Measure\Block;
use Larder\Cli\Measure\Sample;
use Larder\Cli\System\FileSystem;
use Larder\Cli\System\Php;
use Larder\Cli\Workload\Memory;
use Larder\Cli\Workload\MemoryTask;
use Larder\Cli\Workload\SystemCalls;
use Larder\Cli\Workload\SystemCallsTask;
use Larder\Cli\Workload\TaskBlock;

final class MemoryTest extends TaskTestCase
{
    /** A file of 100 or 1,000 bytes takes one block of tmpfs, in every round. */
    public function testMemoryOfEntriesIsThatOfTheirBlocks(): void
    {
        $block = new TaskBlock(new MemoryTask('tested', 'tmpfs', $this->files(), null, true, 2));
        foreach ([self::figures($block), self::figures($block)] as $figures) {
            self::assertSame(4_096.0, $figures[Memory::ENTRY . ', 0.1k, entry']);
            self::assertSame(4_096.0, $figures[Memory::ENTRY . ', 1k, entry']);
            // The bytes of the file and of the string.
            self::assertGreaterThanOrEqual(256_000.0, $figures[Memory::READER . ', 128k, get']);
            self::assertGreaterThan(0.0, $figures[Memory::PROCESSOR . ', 1k, get, client']);
        }
    }

    public function testServerTellsItsMemoryTimeAndTraffic(): void
    {
        $locations = new StoreLocations();
        $blocks = (new Memory($locations, ['redis', 'memcached'], 20))->blocks(static function (): void {});
        self::assertCount(4, $blocks);
        foreach ([$blocks[0], $blocks[2]] as $block) {
            $figures = self::figures($block);
            foreach ([Memory::ENTRY . ', 1k, entry', Memory::WIRE . ', 1k, get', Memory::WIRE . ', 1k, set'] as $row) {
                self::assertGreaterThan(1_000.0, $figures[$row]);
                self::assertLessThan(1_400.0, $figures[$row]);
            }
            self::assertCount(12, $figures);
        }
    }

    public function testRefusingStoreHasNoFigure(): void
    {
        $samples = self::samples(new TaskBlock(new MemoryTask('tested', null, PickyStore::class, null, false, 2)));
        self::assertSame('refuses values', $samples[2]->problem);
        self::assertNull($samples[2]->figure);
    }

    public function testSystemCallsAreCounted(): void
    {
        if (!is_executable('/usr/bin/strace')) {
            self::markTestSkipped('strace is not installed');
        }
        $count = fn(string $address): array => array_map(
            static fn(Sample $sample): ?float => $sample->figure,
            self::samples(
                new SystemCalls(new SystemCallsTask('tested', null, $address), new Php(), FileSystem::tmpfs()),
            ),
        );
        self::assertSame([0.0, 0.0], $count(NoCallsStore::class));
        [$get, $set] = $count($this->files());
        self::assertGreaterThanOrEqual(3.0, $get); // open, read, close
        self::assertGreaterThanOrEqual(4.0, $set); // open, write, close, rename
        self::assertLessThan(40.0, $set);
    }

    /** @return array<string, float|null> */
    private static function figures(Block $block): array
    {
        $figures = [];
        foreach (self::samples($block) as $sample) {
            self::assertSame('', $sample->problem);
            $subject = $sample->subject;
            $figures[implode(', ', [$subject->table, $subject->value, $subject->operation])] = $sample->figure;
        }

        return $figures;
    }
}

<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Workload;

use Larder\Cli\Workload\EntriesTask;
use Larder\Cli\Workload\TaskBlock;

final class EntriesTest extends TaskTestCase
{
    public function testStoreIsFilledOnceAndMeasuredEachRound(): void
    {
        $block = new TaskBlock(new EntriesTask('tested', 'disk', $this->files(), 1_000, 2, 20));
        foreach ([...self::samples($block), ...self::samples($block)] as $sample) {
            self::assertSame([0, ''], [$sample->failures, $sample->problem]);
            self::assertGreaterThan(0, $sample->figure);
        }
    }

    public function testLostValuesLeaveNoFigure(): void
    {
        [$get, $set] = self::samples(
            new TaskBlock(new EntriesTask('tested', 'disk', ForgetfulStore::class, 100, 1, 50)),
        );
        self::assertNull($get->figure);
        self::assertSame('loses values', $get->problem);
        self::assertNotNull($set->figure);
    }
}

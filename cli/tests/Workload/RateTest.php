<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Workload;

use Larder\Cli\Measure\Sample;
use Larder\Cli\Workload\RateTask;
use Larder\Cli\Workload\TaskBlock;

final class RateTest extends TaskTestCase
{
    public function testOperationsAreDoneAtTheRate(): void
    {
        [$get, $set, $done, $lost] = $this->measure($this->files(), 500, 200);
        self::assertSame([0, 0, 0, 0.0], [$get->failures, $set->failures, $done->failures, $lost->figure]);
        self::assertSame(100, (int) $get->histogram?->count() + (int) $set->histogram?->count());
        self::assertGreaterThan(0, $done->figure);
        self::assertLessThanOrEqual(500, $done->figure);
    }

    /**
     * The store stops for 20 ms once in fifty operations. A loop that waits for it would find only that one slow. At
     * 2,000 operations a second, those scheduled during the stop are late too: many more than one in fifty.
     */
    public function testWaitingCountsFromTheIntendedStart(): void
    {
        [$get] = $this->measure(HiccupStore::class, 2_000, 200);
        self::assertNotNull($get->histogram);
        self::assertGreaterThan(4_000_000, $get->histogram->percentile(50));
    }

    public function testWhatIsNeverStartedCountsAsWell(): void
    {
        [$get, $set, $done] = $this->measure(HiccupStore::class, 100_000, 100);
        self::assertSame(10_000, (int) $get->histogram?->count() + (int) $set->histogram?->count());
        self::assertLessThan(50_000, $done->figure);
    }

    public function testLossesAreTold(): void
    {
        self::assertGreaterThan(0.0, $this->measure(ForgetfulStore::class, 1_000, 100)[3]->figure);
    }

    /** @return list<Sample> */
    private function measure(string $address, int $rate, int $milliseconds): array
    {
        return self::samples(new TaskBlock(new RateTask('tested', null, $address, [$rate], 1, $milliseconds)));
    }
}

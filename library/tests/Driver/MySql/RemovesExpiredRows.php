<?php

declare(strict_types=1);

namespace Larder\Tests\Driver\MySql;

use Larder\Testing\Fork;

/** Removal of expired rows, for tables with one row per value. */
trait RemovesExpiredRows
{
    public function testWritesRemoveExpiredRows(): void
    {
        $cache = $this->cache('&namespace=contract_collect&timeout=10');
        $table = 'larder_contract_collect_' . static::engine();
        $rows = static fn(): int => (int) self::column("SELECT COUNT(*) FROM $table")[0];
        $cache->set('stays', 1);
        self::assertTrue($cache->setMany(
            array_fill_keys(array_map(static fn(int $n): string => 'old' . $n, range(1, 1000)), 'value'),
            60,
        ));
        self::expireRows($table);
        self::assertSame(1001, $rows(), 'the control: without writes they stay');
        for ($n = 0; $n < 1200; ++$n) {
            $cache->set("new $n", 'value', 3600);
        }
        self::assertLessThan(1800, $rows());
        self::assertTrue($cache->setMany(array_fill_keys(
            array_map(static fn(int $n): string => 'many' . $n, range(1, 1000)),
            'value',
        )));
        self::assertSame(2201, $rows(), 'and all of the rest by one of many');
        self::assertSame(1, $cache->get('stays'));
    }

    /** InnoDB ends one of two statements that wait for each other. */
    public function testConcurrentWritersDoNotRefuseEachOther(): void
    {
        $forks = [];
        $this->cache('&namespace=contract_writers&timeout=10');
        for ($n = 0; $n < 4; ++$n) {
            $forks[] = Fork::start(function (): int {
                $cache = $this->cache('&namespace=contract_writers&timeout=10');
                $refused = 0;
                for ($i = 0; $i < 300; ++$i) {
                    $refused += (int) !$cache->set('k' . random_int(0, 50), 'value', 0.01);
                    $refused += (int) ($i % 20 === 0 && !$cache->setMany(
                        array_fill_keys(
                            array_map(static fn(): string => 'k' . random_int(0, 50), range(0, 40)),
                            'value',
                        ),
                        0.01,
                    ));
                }

                return $refused;
            });
        }
        self::assertSame([0, 0, 0, 0], array_map(static fn(Fork $fork): mixed => $fork->result(), $forks));
    }
}

<?php

declare(strict_types=1);

namespace Larder\Tests\Driver\Legacy\MySqlMemory;

use Larder\Testing\Fork;
use Larder\Tests\Driver\MySql\MySqlTestCase;

final class MySqlMemoryTest extends MySqlTestCase
{
    protected static function engine(): string
    {
        return 'memory';
    }

    /** The server limits its tables to 8 MB. */
    protected function tooLarge(): string
    {
        return random_bytes(9 << 20);
    }

    /** add() accepts 1 MB; for 9 MB, the server would try to make room for half a minute. */
    protected function tooLargeToAdd(): string
    {
        return random_bytes(2 << 20);
    }

    public function testValueIsSplitOverRowsAndShrinks(): void
    {
        $cache = $this->cache('&namespace=split');
        $count = fn(): int => (int) self::column('SELECT COUNT(*) FROM larder_split_memory')[0];
        $cache->set('k', random_bytes(10_000));
        self::assertSame(11, $count());
        $cache->set('k', random_bytes(2_500));
        self::assertSame(3, $count());
        $cache->set('k', 1);
        self::assertSame(1, $count());
        $cache->delete('k');
        self::assertSame(0, $count());
    }

    /** A killed writer, or two concurrent ones, can leave such rows. */
    public function testMixedRowsOfTwoValuesAreAMiss(): void
    {
        $cache = $this->cache('&namespace=mixture');
        $value = str_repeat('first', 1000);
        $damage = [
            'a row missing in the middle' => 'DELETE FROM larder_mixture_memory WHERE part = 2',
            'the last row missing' => 'DELETE FROM larder_mixture_memory WHERE part = 5',
            'the first row missing' => 'DELETE FROM larder_mixture_memory WHERE part = 0',
            'a row of another value' => "UPDATE larder_mixture_memory SET version = REPEAT('x', 16) WHERE part = 3",
        ];
        foreach ($damage as $what => $sql) {
            self::assertTrue($cache->set('k', $value));
            self::assertSame($value, $cache->get('k'));
            self::assertSame(1, self::raw()->exec($sql));
            self::assertNull($cache->get('k'), $what);
            self::assertFalse($cache->has('k'));
        }
        $cache->clear();
    }

    public function testFullTableEvictsOldRowsAndKeepsTheLatest(): void
    {
        $cache = $this->cache('&namespace=contract_full&timeout=10');
        // More than twice as many as fit.
        foreach ([100 => 20_000, 60_000 => 400, 400_000 => 60] as $length => $count) {
            for ($n = 0; $n < $count; ++$n) {
                self::assertTrue($cache->set("$length-$n", self::value($n, $length)), "$n of $length");
                if ($n >= 5 && $n % 97 === 0) {
                    $last = $n - 5;
                    self::assertSame(self::value($last, $length), $cache->get("$length-$last"));
                }
            }
            self::assertNull($cache->get("$length-0"));
        }
        self::assertTrue($cache->add('added', self::value(1, 400_000)));
        self::assertSame(1, $cache->increment('n'));
        self::assertFalse($cache->set('n', self::value(1, 9 << 20)), 'a value that does not fit');
        self::assertTrue($cache->has('added'), 'and it drives out nothing');
        self::assertNull($cache->get('n'));
    }

    /** The control. */
    public function testFullTableRefusesWritesWithoutEviction(): void
    {
        $cache = $this->cache('&namespace=contract_refuses');
        $cache->set('k', 1);
        $insert = self::raw()->prepare(
            "INSERT IGNORE INTO larder_contract_refuses_memory VALUES (?, 0, '', 1, 0, REPEAT('x', 1000))",
        );
        $taken = 0;
        for ($n = 0; $n < 70_000 && ($n < 20_000 || $taken > $n / 2); ++$n) {
            try {
                $taken += (int) $insert->execute([pack('P', $n)]);
            } catch (\PDOException) {
                // full
            }
        }
        self::assertLessThan(8_000, $taken);
    }

    public function testExpiredRowsAreEvictedFirst(): void
    {
        $cache = $this->cache('&namespace=contract_first&timeout=10');
        $cache->set('stays', 1);
        for ($n = 0; $n < 12; ++$n) {
            self::assertTrue($cache->set("k$n", random_bytes(500_000), 60));
        }
        self::expireRows('larder_contract_first_' . static::engine());
        for ($n = 0; $n < 10; ++$n) {
            self::assertTrue($cache->set("n$n", random_bytes(500_000)));
        }
        self::assertTrue($cache->has('stays'));
    }

    public function testSeveralProcessesFillOneTable(): void
    {
        $this->cache('&namespace=contract_fill&timeout=10');
        $forks = array_map(fn(int $n): Fork => Fork::start(function () use ($n): int {
            $cache = $this->cache('&namespace=contract_fill&timeout=10');
            $taken = 0;
            for ($i = 0; $i < 300; ++$i) {
                $taken += (int) $cache->set("$n-$i", self::value($i, 50_000));
            }

            return $taken;
        }), range(1, 4));
        self::assertSame([300, 300, 300, 300], array_map(static fn(Fork $fork): mixed => $fork->result(), $forks));
    }

    private static function value(int $n, int $length): string
    {
        return str_repeat(pack('N', $n), intdiv($length, 4));
    }

    /** The control: without a version, rows that one writer replaces and a reader reads one by one do mix. */
    public function testRowsReadSeparatelyMixTwoValues(): void
    {
        self::raw()->exec('CREATE OR REPLACE TABLE mixing (part INT PRIMARY KEY, data INT) ENGINE=MEMORY');
        self::raw()->exec('INSERT INTO mixing VALUES (0, 0), (1, 0)');
        $writer = Fork::start(static function (): void {
            $database = self::raw();
            for ($n = 1;; ++$n) {
                $database->exec("REPLACE INTO mixing VALUES (0, $n), (1, $n)");
            }
        });
        $mixed = false;
        $end = microtime(true) + 10;
        while (!$mixed && microtime(true) < $end) {
            $first = self::column('SELECT data FROM mixing WHERE part = 0');
            $mixed = $first !== self::column('SELECT data FROM mixing WHERE part = 1');
        }
        $writer->kill();
        self::raw()->exec('DROP TABLE mixing');
        self::assertTrue($mixed);
    }
}

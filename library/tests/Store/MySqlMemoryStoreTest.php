<?php

declare(strict_types=1);

namespace Larder\Tests\Store;

use Larder\Testing\Fork;

final class MySqlMemoryStoreTest extends MySqlContract
{
    protected function engine(): string
    {
        return 'memory';
    }

    /** The server's tables end at 8 MB. */
    protected function tooLarge(): string
    {
        return random_bytes(9 << 20);
    }

    public function testAValueIsSplitOverRowsAndShrinks(): void
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

    /** What a writer that died, or two that met, can leave behind. */
    public function testAMixtureOfTwoValuesIsAMiss(): void
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

    public function testExpiredValuesMakeRoomInAFullTable(): void
    {
        $cache = $this->cache('&namespace=full');
        $i = 0;
        while ($cache->set('k' . $i, random_bytes(500_000), 2.0)) {
            ++$i;
        }
        self::assertGreaterThan(3, $i);
        self::assertFalse($cache->has('k' . $i));
        usleep(2_100_000);
        self::assertTrue($cache->set('more', random_bytes(500_000)));
        $cache->clear();
    }

    /** The control: rows without a version, replaced by one writer and read by another row by row, do mix. */
    public function testRowsReadOneByOneDoMix(): void
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

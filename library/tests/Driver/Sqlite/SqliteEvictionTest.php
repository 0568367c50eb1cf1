<?php

declare(strict_types=1);

namespace Larder\Tests\Driver\Sqlite;

use Larder\Cache;
use Larder\Exception\InvalidDsn;
use Larder\Internal\Driver\Sql\SqlStore;
use Larder\Internal\Driver\Sqlite\SqliteConnection;
use Larder\Testing\Fork;
use Larder\Tests\PhpProcess;
use Larder\Tests\Servers;
use PHPUnit\Framework\TestCase;

/** Tests how much a file holds, and what a full one evicts. */
final class SqliteEvictionTest extends TestCase
{
    private const LIMIT = 2 << 20;
    private const HOUR = 3600;

    private string $file;

    protected function setUp(): void
    {
        $this->file = Servers::directory('sqlite-room-' . bin2hex(random_bytes(4))) . '/cache.sqlite';
    }

    public function testWritesRemoveExpiredRows(): void
    {
        $cache = $this->cache();
        self::assertTrue($cache->set('stays', 1));
        self::assertTrue($cache->setMany(array_fill_keys(self::keys('old', 2000), 'value'), 60));
        $this->expireRows();
        self::assertSame(2001, $this->rows(), 'the control: without writes they stay');
        foreach (self::keys('new', 2000) as $key) {
            $cache->set($key, 'value', 3600);
        }
        self::assertLessThan(2300, $this->rows());
        self::assertSame(1, $cache->get('stays'));
    }

    public function testSetManyRemovesTwiceAsManyAsItWrites(): void
    {
        $cache = $this->cache();
        $cache->setMany(array_fill_keys(self::keys('old', 2000), 'value'), 60);
        $this->expireRows();
        self::assertTrue($cache->setMany(array_fill_keys(self::keys('new', 600), 'value')));
        self::assertSame(1400, $this->rows());
    }

    public function testPruneRemovesOnlyExpiredRows(): void
    {
        $store = new SqlStore(new SqliteConnection($this->file), 'one');
        $other = new SqlStore(new SqliteConnection($this->file), 'other');
        $store->setMany(array_fill_keys(self::keys('old', 2500), 'value'), 60);
        $other->set('old', 'value', 60);
        $store->setMany(['stays' => 1, 'stays longer' => 2]);
        $store->set('lives', 3, 2 * self::HOUR);
        $this->expireRows();
        self::assertSame(2500, $store->prune());
        self::assertSame(4, $this->rows());
        self::assertSame(0, $store->prune());
        self::assertSame(3, $store->get('lives'));
        self::assertSame(1, $other->prune());
    }

    public function testFullFileEvictsOldRowsAndKeepsTheLatest(): void
    {
        $cache = $this->cache('?max_size=' . self::LIMIT);
        for ($n = 0; $n < 2100; ++$n) {
            self::assertTrue($cache->set("k$n", str_repeat(pack('N', $n), 2500)), "$n");
            self::assertSame(str_repeat(pack('N', max(0, $n - 20)), 2500), $cache->get('k' . max(0, $n - 20)));
        }
        self::assertNull($cache->get('k0'));
        self::assertGreaterThan(100, $this->rows());
        self::assertTrue(
            $cache->setMany(array_fill_keys(self::keys('many', 2000), str_repeat('x', 5000))),
            'more than fits at once',
        );
        self::assertSame(str_repeat('x', 5000), $cache->get('many1999'));
        self::assertSame(1, $cache->increment('n'));
        self::assertTrue($cache->add('large', random_bytes(500_000)));
        $cache->set('k', 'before');
        self::assertFalse($cache->set('k', random_bytes(self::LIMIT)), 'a value that does not fit');
        self::assertNull($cache->get('k'));
        self::assertTrue($cache->has('large'), 'and it drives out nothing');
        clearstatcache();
        self::assertLessThanOrEqual(self::LIMIT, filesize($this->file));
        self::assertLessThanOrEqual(2 * self::LIMIT + (5 << 20), filesize($this->file . '-wal'));
    }

    /** The control. */
    public function testFullFileRefusesWritesWithoutEviction(): void
    {
        $this->cache('?max_size=' . self::LIMIT);
        $database = new \PDO('sqlite:' . $this->file);
        $database->exec('PRAGMA max_page_count = ' . self::LIMIT / 4096);
        $insert = $database->prepare("INSERT INTO larder VALUES ('larder', ?, '', zeroblob(10000), 0, '')");
        $taken = 0;
        for ($n = 0; $n < 2100; ++$n) {
            try {
                $taken += (int) $insert->execute(["k$n"]);
            } catch (\PDOException) {
                // full
            }
        }
        self::assertLessThan(220, $taken);
    }

    public function testExpiredRowsAreEvictedFirst(): void
    {
        $cache = $this->cache('?max_size=' . self::LIMIT);
        $cache->set('stays', 1);
        for ($n = 0; $n < 150; ++$n) {
            $cache->set("k$n", str_repeat('x', 10_000), 60);
        }
        $this->expireRows();
        for ($n = 0; $n < 150; ++$n) {
            self::assertTrue($cache->set("n$n", str_repeat('x', 10_000)));
        }
        self::assertTrue($cache->has('stays'));
    }

    public function testSeveralProcessesFillOneFile(): void
    {
        $forks = array_map(fn(int $n): Fork => Fork::start(function () use ($n): int {
            $cache = $this->cache('?max_size=' . self::LIMIT);
            $taken = 0;
            for ($i = 0; $i < 400; ++$i) {
                $taken += (int) $cache->set("$n-$i", str_repeat('x', 10_000));
            }

            return $taken;
        }), range(1, 4));
        foreach ($forks as $fork) {
            self::assertGreaterThan(350, $fork->result()); // a writer that waits for others for a second is refused
        }
    }

    public function testFullDiskReplacesOldValues(): void
    {
        if (posix_geteuid() !== 0) {
            self::markTestSkipped('It mounts a file system, which takes root');
        }
        $place = Servers::directory('sqlite-disk-' . bin2hex(random_bytes(4)));
        $code = <<<'PHP'
            chdir('/');
            $cache = Larder\Cache::open('sqlite://' . %s . '/cache.sqlite');
            $taken = $there = 0;
            for ($n = 0; $n < 4000; ++$n) {
                $taken += (int) $cache->set("k$n", str_repeat('x', 10_000));
                $there += (int) $cache->has("k$n");
            }
            echo json_encode([$taken, $there, $cache->has('k0'), $cache->has('k3990')]);
            PHP;
        self::assertSame('[4000,4000,false,true]', PhpProcess::run(
            \sprintf($code, var_export($place, true)),
            before: \sprintf('mount -t tmpfs -o size=4m,mode=700 none %s', escapeshellarg($place)),
            under: ['unshare', '--mount'],
        ));
    }

    public function testInvalidLimitIsRefused(): void
    {
        $this->expectException(InvalidDsn::class);
        $this->cache('?max_size=many');
    }

    private function cache(string $options = ''): Cache
    {
        return Cache::open('sqlite://' . $this->file . $options);
    }

    /** Simulates an hour: on a busy machine, storing rows may take longer than a short ttl. */
    private function expireRows(): void
    {
        (new \PDO('sqlite:' . $this->file))->exec(
            'UPDATE larder SET expires = expires - ' . self::HOUR . '000000 WHERE expires > 0',
        );
    }

    private function rows(): int
    {
        $rows = (new \PDO('sqlite:' . $this->file))->query('SELECT COUNT(*) FROM larder');
        self::assertNotFalse($rows);

        return (int) $rows->fetchColumn();
    }

    /** @return list<string> */
    private static function keys(string $prefix, int $count): array
    {
        return array_map(static fn(int $n): string => $prefix . $n, range(0, $count - 1));
    }
}

<?php

declare(strict_types=1);

namespace Larder\Tests\Driver\Sqlite;

use Larder\Cache;
use Larder\Exception\StoreUnavailable;
use Larder\Testing\AssertsThrows;
use Larder\Testing\Fork;
use Larder\Tests\Servers;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\TestCase;

/** A file that is damaged, removed or replaced, before it is opened and while it is open. */
final class SqliteDamageTest extends TestCase
{
    use AssertsThrows;

    private string $file;

    protected function setUp(): void
    {
        $this->file = Servers::directory('sqlite-damage-' . bin2hex(random_bytes(4))) . '/cache.sqlite';
    }

    /** @return iterable<string, array{\Closure(string): void}> */
    public static function damages(): iterable
    {
        yield 'not a database' => [static function (string $file): void {
            file_put_contents($file, str_repeat('not a database ', 10_000));
        }];
        yield 'random bytes after the first page' => [static function (string $file): void {
            self::overwrite($file, 4096, random_bytes(200_000));
        }];
        yield 'zeros after the head' => [static function (string $file): void {
            self::overwrite($file, 100, str_repeat("\0", 200_000));
        }];
        yield 'random bytes from the beginning' => [static function (string $file): void {
            self::overwrite($file, 0, random_bytes(200_000));
        }];
        yield 'cut in the middle' => [static function (string $file): void {
            self::cut($file, 20_000);
        }];
        yield 'cut to nothing' => [static function (string $file): void {
            self::cut($file, 0);
        }];
    }

    /** @param \Closure(string): void $damage */
    #[DataProvider('damages')]
    public function testDamagedFileIsReplacedOnOpen(\Closure $damage): void
    {
        Fork::run(function (): void {
            $this->fill();
        });
        self::checkpoint($this->file);
        $damage($this->file);
        $cache = $this->cache();
        $this->assertWorks($cache);
    }

    /** @param \Closure(string): void $damage */
    #[DataProvider('damages')]
    public function testDamagedFileIsReplacedWhileOpen(\Closure $damage): void
    {
        $cache = $this->cache();
        $others = array_map(fn(int $n): Cache => $this->cache(), range(1, 3));
        $this->fill();
        array_map(static fn(Cache $other): mixed => $other->get('key 1'), $others);
        self::checkpoint($this->file);
        $damage($this->file);
        foreach ([$cache, ...$others] as $each) {
            $this->assertWorks($each);
        }
        foreach ([$cache, ...$others] as $each) {
            self::assertTrue($each->set('for all', 'value'));
            self::assertSame(
                ['value', 'value', 'value'],
                array_map(static fn(Cache $other): mixed => $other->get('for all'), $others),
            );
        }
    }

    public function testOnlyTheLastDamagedFileIsKept(): void
    {
        $this->cache();
        foreach (['first ', 'second '] as $text) {
            file_put_contents($this->file, str_repeat($text, 1000));
            self::assertTrue($this->cache()->set('k', 1));
            self::assertStringStartsWith($text, (string) file_get_contents($this->file . '.corrupt'));
        }
        self::assertSame(
            ['cache.sqlite', 'cache.sqlite.corrupt', 'cache.sqlite.lock'],
            array_values(array_diff((array) scandir(\dirname($this->file)), ['.', '..'])),
        );
    }

    /** @return iterable<string, array{string}> */
    public static function foreign(): iterable
    {
        yield 'text' => ["root:x:0:0:root:/root:/bin/bash\n"];
        yield 'a damaged database' => ["SQLite format 3\0" . str_repeat('x', 10_000)];
    }

    #[DataProvider('foreign')]
    public function testForeignFileIsRefusedAndKept(string $content): void
    {
        file_put_contents($this->file, $content);
        for ($try = 1; $try <= 2; ++$try) {
            self::assertThrows(
                StoreUnavailable::class,
                fn() => $this->cache()->set('k', 1),
                'was never a cache of Larder',
            );
            self::assertSame($content, file_get_contents($this->file));
            self::assertFileDoesNotExist($this->file . '.corrupt');
        }
    }

    public function testNothingIsCreatedBesideAForeignFile(): void
    {
        file_put_contents($this->file, 'text');

        try {
            $this->cache();
        } catch (StoreUnavailable) {
        }
        self::assertSame(
            ['cache.sqlite'],
            array_values(array_diff((array) scandir(\dirname($this->file)), ['.', '..'])),
        );
    }

    public function testForeignDatabaseIsRefusedAndKept(): void
    {
        (new \PDO('sqlite:' . $this->file))->exec('CREATE TABLE users (name TEXT)');
        $before = file_get_contents($this->file);
        $refusal = self::assertThrows(StoreUnavailable::class, fn() => $this->cache());
        self::assertSame(
            'sqlite: the file has tables of another program. Name another file: a cache has one of its own',
            $refusal->getMessage(),
        );
        self::assertSame($before, file_get_contents($this->file));
    }

    /** @return iterable<string, array{list<string>}> */
    public static function removals(): iterable
    {
        yield 'the file' => [['']];
        yield 'the file and its log' => [['', '-wal']];
        yield 'all' => [['', '-wal', '-shm']];
        yield 'all and the lock' => [['', '-wal', '-shm', '.lock']];
    }

    /** @param list<string> $suffixes */
    #[DataProvider('removals')]
    public function testRemovedFileIsNoticedWithinATenthOfASecond(array $suffixes): void
    {
        $caches = array_map(fn(int $n): Cache => $this->cache(), range(1, 3));
        self::assertTrue($caches[0]->set('k', 'old'));
        array_map(static fn(Cache $cache): mixed => $cache->get('k'), $caches);
        foreach ($suffixes as $suffix) {
            unlink($this->file . $suffix);
        }
        usleep(110_000);
        foreach ($caches as $n => $cache) {
            self::assertNull($cache->get('k'));
            self::assertTrue($cache->set('k' . $n, $n));
        }
        self::assertSame(['k0' => 0, 'k1' => 1, 'k2' => 2], $this->cache()->getMany(['k0', 'k1', 'k2']));
        self::assertSame([0, 0, 0], array_map(static fn(Cache $cache): mixed => $cache->get('k0'), $caches));
        self::assertSame('ok', self::integrity($this->file));
    }

    public function testReplacedFileIsRead(): void
    {
        $cache = $this->cache();
        $cache->set('k', 'old');
        $other = Cache::open('sqlite://' . $this->file . '2');
        $other->set('k', 'new');
        unset($other);
        unlink($this->file . '-wal');
        unlink($this->file . '-shm');
        rename($this->file . '2', $this->file);
        usleep(110_000);
        self::assertSame('new', $cache->get('k'));
    }

    public function testRemovedFolderGivesMissesUntilItReturns(): void
    {
        $cache = $this->cache();
        $cache->set('k', 'old');
        rename(\dirname($this->file), \dirname($this->file) . '-away');
        usleep(110_000);
        self::assertNull($cache->get('k'));
        self::assertFalse($cache->set('k', 'new'));
        self::assertFalse($cache->delete('k'));
        self::assertFalse($cache->increment('n'));
        mkdir(\dirname($this->file), 0o700);
        self::assertTrue($cache->set('k', 'new'));
        self::assertSame('new', $cache->get('k'));
    }

    public function testDamageCallsNoErrorHandler(): void
    {
        /** @var \ArrayObject<int, string> $warnings */
        $warnings = new \ArrayObject();
        set_error_handler(static function (int $level, string $message) use ($warnings): bool {
            $warnings[] = $message;

            return true;
        });

        try {
            $this->cache();
            file_put_contents(
                $this->file,
                'not a database, and longer than the head of one, which has a hundred bytes: ' . str_repeat('x', 100),
            );
            $cache = $this->cache();
            self::assertTrue($cache->set('k', 1));
            rename(\dirname($this->file), \dirname($this->file) . '-away');
            usleep(110_000);
            self::assertFalse($cache->set('k', 1));
            self::assertNull($cache->get('k'));
            rename(\dirname($this->file) . '-away', \dirname($this->file));
            self::assertTrue($cache->set('k', 1));
        } finally {
            restore_error_handler();
        }
        self::assertSame([], $warnings->getArrayCopy());
    }

    public function testDroppedTableIsCreatedAgain(): void
    {
        $cache = $this->cache();
        $cache->set('k', 'old');
        (new \PDO('sqlite:' . $this->file))->exec('DROP TABLE larder');
        self::assertNull($cache->get('k'));
        self::assertTrue($cache->set('k', 'new'));
        self::assertSame('new', $cache->get('k'));
        (new \PDO('sqlite:' . $this->file))->exec('DROP TABLE larder');
        self::assertSame(1, $cache->increment('n'));
    }

    #[Group('waiting')]
    public function testWorkersThatDamageTheFileNeverReadWrongValuesOrThrow(): void
    {
        $end = microtime(true) + 3;
        $forks = [];
        for ($n = 0; $n < 4; ++$n) {
            $forks[] = Fork::start(function () use ($end, $n): array {
                $cache = $this->cache();
                [$wrong, $stored] = [0, 0];
                for ($i = 0; microtime(true) < $end; ++$i) {
                    $key = 'k' . random_int(0, 50);
                    $stored += (int) $cache->set($key, str_repeat($key, 500));
                    $value = $cache->get($key = 'k' . random_int(0, 50));
                    $wrong += (int) ($value !== null && $value !== str_repeat($key, 500));
                    if ($i % 40 === 39) {
                        $n % 2 === 0
                            ? @unlink($this->file)
                            : @self::overwrite($this->file, 4096 * random_int(1, 9), random_bytes(4096));
                    }
                }

                return [$wrong, $stored];
            });
        }
        foreach ($forks as $fork) {
            [$wrong, $stored] = (array) $fork->result();
            self::assertSame(0, $wrong);
            self::assertGreaterThan(0, $stored);
        }
        $this->assertWorks($this->cache());
    }

    private function assertWorks(Cache $cache): void
    {
        foreach (range(1, 300) as $n) {
            self::assertContains($cache->get('key ' . $n), [null, str_repeat((string) $n, 300)]);
        }
        self::assertTrue($cache->set('k', 'value'));
        self::assertSame('value', $cache->get('k'));
        self::assertTrue($cache->setMany(['a' => 1, 'b' => 2]));
        self::assertSame(['a' => 1, 'b' => 2], $cache->getMany(['a', 'b']));
        self::assertSame(1, $cache->increment('n' . random_int(0, \PHP_INT_MAX)));
        self::assertTrue($cache->delete('k'));
    }

    private function fill(): void
    {
        $cache = $this->cache();
        foreach (range(1, 300) as $n) {
            self::assertTrue($cache->set('key ' . $n, str_repeat((string) $n, 300)));
        }
    }

    private function cache(): Cache
    {
        return Cache::open('sqlite://' . $this->file);
    }

    private static function checkpoint(string $file): void
    {
        (new \PDO('sqlite:' . $file))->exec('PRAGMA wal_checkpoint(TRUNCATE)');
    }

    private static function integrity(string $file): mixed
    {
        $rows = (new \PDO('sqlite:' . $file))->query('PRAGMA integrity_check');
        self::assertNotFalse($rows);

        return $rows->fetchColumn();
    }

    /** In another process, because closing the file here would release SQLite's locks on it. */
    private static function overwrite(string $file, int $at, string $bytes): void
    {
        file_put_contents($file . '.damage', $bytes);
        shell_exec(\sprintf(
            'dd if=%1$s.damage of=%1$s bs=64K oflag=seek_bytes seek=%2$d conv=notrunc,nocreat 2>/dev/null',
            escapeshellarg($file),
            $at,
        ));
        @unlink($file . '.damage');
    }

    private static function cut(string $file, int $length): void
    {
        shell_exec(\sprintf('truncate -s %d %s', $length, escapeshellarg($file)));
    }
}

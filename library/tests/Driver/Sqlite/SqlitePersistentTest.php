<?php

declare(strict_types=1);

namespace Larder\Tests\Driver\Sqlite;

use Larder\Cache;
use Larder\Contract\Capability;
use Larder\Testing\Fork;
use Larder\Tests\Driver\DriverTestCase;
use Larder\Tests\Servers;

/** A connection that outlives its cache, like between two requests of a worker. */
final class SqlitePersistentTest extends DriverTestCase
{
    public static function dsn(string $namespace): string
    {
        return self::address('sqlite-kept', "&namespace=$namespace");
    }

    protected function capabilities(): array
    {
        return Capability::cases();
    }

    protected function plantNeighbour(): void
    {
        Cache::open(self::address('sqlite-kept', '&namespace=neighbour'))->set('k', 1);
    }

    protected function neighbourIsThere(): bool
    {
        return Cache::open(self::address('sqlite-kept', '&namespace=neighbour'))->get('k') === 1;
    }

    public function testNextCacheHasTheSameConnection(): void
    {
        $dsn = self::address('sqlite-again');
        self::assertTrue(Cache::open($dsn)->set('k', 1));
        $files = self::filesOpen('sqlite-again');
        self::assertNotSame([], $files);
        self::assertSame(1, Cache::open($dsn)->get('k'));
        self::assertSame($files, self::filesOpen('sqlite-again'));
        self::assertTrue(
            Cache::open(str_replace('persistent=1', 'persistent=0', self::address('sqlite-not-again')))->set('k', 1),
        );
        self::assertSame([], self::filesOpen('sqlite-not-again'), 'the control: nothing is kept without the option');
    }

    public function testRemovedAndReplacedFilesAreNotUsed(): void
    {
        $dsn = self::address('sqlite-replaced');
        $file = Servers::directory('sqlite-replaced') . '/cache.sqlite';
        self::assertTrue(Cache::open($dsn)->set('k', 'old'));
        array_map(unlink(...), self::files("$file*"));
        $cache = Cache::open($dsn);
        self::assertNull($cache->get('k'));
        self::assertTrue($cache->set('k', 'new'));
        Fork::run(static function (): void {
            $other = Cache::open(str_replace('persistent=1', 'persistent=0', self::address('sqlite-replacing')));
            $other->set('k', 'of another file');
        });
        rename(Servers::directory('sqlite-replacing') . '/cache.sqlite', $file);
        array_map(unlink(...), self::files("$file-*"));
        self::assertSame('of another file', Cache::open($dsn)->get('k'));
    }

    public function testDroppedTableIsCreatedAgain(): void
    {
        $dsn = self::address('sqlite-dropped');
        self::assertTrue(Cache::open($dsn)->set('k', 'old'));
        (new \PDO('sqlite:' . Servers::directory('sqlite-dropped') . '/cache.sqlite'))->exec('DROP TABLE larder');
        $cache = Cache::open($dsn);
        self::assertSame([null, true, 'new'], [$cache->get('k'), $cache->set('k', 'new'), $cache->get('k')]);
        self::assertSame('new', Cache::open($dsn)->get('k'));
    }

    public function testDamagedFileIsReplaced(): void
    {
        $dsn = self::address('sqlite-kept-damage');
        $file = Servers::directory('sqlite-kept-damage') . '/cache.sqlite';
        self::assertTrue(Cache::open($dsn)->setMany(array_fill_keys(range(1, 300), str_repeat('x', 300))));
        Fork::run(static function () use ($file): void {
            (new \PDO("sqlite:$file"))->exec('PRAGMA wal_checkpoint(TRUNCATE)');
            file_put_contents("$file.damage", random_bytes(200_000));
            shell_exec(\sprintf('dd if=%1$s.damage of=%1$s conv=notrunc,nocreat 2>/dev/null', escapeshellarg($file)));
        });
        $cache = Cache::open($dsn);
        self::assertContains($cache->get('1'), [null, str_repeat('x', 300)]);
        self::assertTrue($cache->setMany(['k' => 'new', 'l' => 'new']));
        self::assertSame(['k' => 'new', 'l' => 'new'], Cache::open($dsn)->getMany(['k', 'l']));
    }

    public function testForkHasAConnectionOfItsOwn(): void
    {
        $dsn = self::address('sqlite-kept-fork');
        $cache = Cache::open($dsn);
        self::assertTrue($cache->set('parent', 1));
        $forks = array_map(static fn(int $n): Fork => Fork::start(static function () use ($cache, $dsn, $n): int {
            $wrong = 0;
            for ($i = 0; $i < 50; ++$i) {
                $wrong += $cache->set("child $n", $i) && Cache::open($dsn)->get("child $n") === $i ? 0 : 1;
            }

            return $wrong;
        }), [1, 2, 3]);
        for ($i = 0; $i < 50; ++$i) {
            self::assertTrue($cache->set('parent', $i) && Cache::open($dsn)->get('parent') === $i);
        }
        self::assertSame([0, 0, 0], array_map(static fn(Fork $fork): mixed => $fork->result(), $forks));
        self::assertSame([49, 49, 49], array_values($cache->getMany(['child 1', 'child 2', 'child 3'])));
    }

    private static function address(string $folder, string $options = ''): string
    {
        return \sprintf('sqlite://%s/cache.sqlite?persistent=1%s', Servers::directory($folder), $options);
    }

    /** @return list<string> */
    private static function files(string $pattern): array
    {
        $files = glob($pattern);

        return $files === false ? [] : $files;
    }

    /** @return list<string> descriptors of this process */
    private static function filesOpen(string $folder): array
    {
        gc_collect_cycles();
        $links = array_map(
            static fn(string $file): string => $file . (string) @readlink($file),
            self::files('/proc/self/fd/*'),
        );

        return array_values(array_filter($links, static fn(string $link): bool => str_contains($link, "/$folder/")));
    }
}

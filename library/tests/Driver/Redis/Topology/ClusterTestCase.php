<?php

declare(strict_types=1);

namespace Larder\Tests\Driver\Redis\Topology;

use Larder\Cache;
use Larder\Exception\InvalidDsn;
use Larder\Exception\StoreFailed;
use Larder\Internal\Driver\Redis\HashSlot;
use Larder\Internal\Key\NamespaceName;
use Larder\Tests\Driver\DriverTestCase;
use Larder\Tests\Servers;

/** Tests of a cluster with both clients: three masters. All keys of a contract are in one slot. */
abstract class ClusterTestCase extends DriverTestCase
{
    /** The value of ?client=. */
    abstract protected static function client(): string;

    public static function dsn(string $namespace): string
    {
        return \sprintf(
            'redis+cluster://:%s@%s?client=%s&namespace=%s',
            RedisNodes::PASSWORD,
            Servers::redisCluster()->addresses(),
            static::client(),
            $namespace,
        )
            . Servers::PATIENTLY;
    }

    protected function isLocal(): bool
    {
        return false;
    }

    protected function tooLarge(): string
    {
        return random_bytes(2 << 20);
    }

    /** The control: a store that knows only one server. */
    public function testSingleServerStoreFailsOnACluster(): void
    {
        $dsn = preg_replace('/^redis.cluster:(.*?),[^?]*/', 'redis:$1', self::dsn('single')) . '&on_failure=throw';
        $cache = Cache::open($dsn);
        self::assertThrows(StoreFailed::class, static function () use ($cache): void {
            for ($i = 0; $i < 20; ++$i) {
                $cache->get("k$i");
            }
        }, 'MOVED ');
    }

    public function testMovingSlotIsFollowed(): void
    {
        $nodes = Servers::redisCluster();
        $namespace = 'moving-' . static::client();
        $cache = Cache::open(self::dsn($namespace) . '&on_failure=throw');
        $keys = array_map(static fn(int $i): string => "{cart}:$i", range(0, 39));
        $others = array_map(strval(...), range(0, 19));
        $expected = [
            ...array_combine($keys, range(0, 39)),
            ...array_combine(array_map(static fn(string $key): string => "o$key", $others), range(0, 19)),
        ];
        self::assertTrue($cache->setMany($expected));
        $slot = HashSlot::of(NamespaceName::prefix($namespace) . $keys[0]);
        $from = self::owner($nodes, $slot);
        $to = $nodes->ports()[(int) array_search($from, $nodes->ports(), true) === 0 ? 1 : 0];
        $fresh = Cache::open(self::dsn($namespace) . '&on_failure=throw');
        $halfway = static function () use ($cache, $fresh, $keys, &$expected): void {
            foreach ([$cache, $fresh] as $one) {
                self::assertSame($expected, $one->getMany(array_keys($expected)));
                foreach ($keys as $key) {
                    self::assertSame($expected[$key], $one->get($key));
                    $expected[$key] += 10;
                    self::assertSame($expected[$key], $one->increment($key, 10));
                    self::assertTrue($one->touch($key, 60));
                }
                self::assertTrue($one->setMany($expected));
                self::assertTrue($one->deleteMany(array_keys($expected)));
                self::assertSame(array_fill_keys($keys, null), $one->getMany($keys));
                self::assertTrue($one->setMany($expected, 60));
                self::assertTrue($one->set('{cart}:new', 1) && $one->delete('{cart}:new') && !$one->has('{cart}:new'));
                self::assertNotNull($one->expiry($keys[0]));
                self::assertTrue($one->lock('{cart}', 10)?->release());
                $made = $one->remember('{cart}:made', 60, static fn(): string => bin2hex(random_bytes(4)), tags: [
                    '{cart}',
                ]);
                self::assertSame($made, $one->get('{cart}:made'));
                self::assertTrue($one->invalidateTags(['{cart}']));
                self::assertNull($one->get('{cart}:made'));
            }
        };
        $nodes->migrate($slot, $from, $to, $halfway);
        self::assertSame($to, self::owner($nodes, $slot));
        self::assertSame($expected, $cache->getMany(array_keys($expected)));
        self::assertTrue($fresh->clear());
        self::assertSame([], [...$cache->keys()]);
        $nodes->migrate($slot, $to, $from);
        self::assertTrue($cache->set($keys[0], 'back') && $fresh->get($keys[0]) === 'back' && $cache->clear());
    }

    public function testNewProcessAsksNobodyForTheMap(): void
    {
        $nodes = Servers::redisCluster();
        $asked = static fn(): int => array_sum(array_map(
            static fn(int $port): int => preg_match(
                '/^cmdstat_cluster\|slots:calls=(\d+)/m',
                (string) $nodes->text($port, 'INFO', 'commandstats'),
                $calls,
            ) === 1
                ? (int) $calls[1]
                : 0,
            $nodes->ports(),
        ));
        self::assertTrue(Cache::open(self::dsn('asked'))->set('k', 1));
        $before = $asked();
        self::assertSame(1, Cache::open(self::dsn('asked'))->get('k'));
        self::assertSame($before, $asked());
        self::assertTrue(Cache::open(self::dsn('asked'))->clear());
        self::assertGreaterThan($before, $asked(), 'the control: clear() must miss no server');
    }

    public function testPathAndMissingHostsAreRefused(): void
    {
        foreach (['redis+cluster://127.0.0.1/name', 'redis+cluster:///run/redis.sock', 'redis+cluster://'] as $dsn) {
            self::assertThrows(
                InvalidDsn::class,
                static fn(): Cache => Cache::open($dsn),
                'does not name some servers of the cluster',
            );
        }
    }

    private static function owner(RedisNodes $nodes, int $slot): int
    {
        $ranges = $nodes->ask($nodes->ports()[2], 'CLUSTER', 'SLOTS');
        foreach (\is_array($ranges) ? $ranges : [] as $range) {
            if (
                \is_array($range) && $range[0] <= $slot && $slot <= $range[1] && \is_array($range[2])
                && \is_int($range[2][1])
            ) {
                return $range[2][1];
            }
        }
        self::fail("no server has the slot $slot");
    }
}

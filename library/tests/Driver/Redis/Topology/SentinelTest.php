<?php

declare(strict_types=1);

namespace Larder\Tests\Driver\Redis\Topology;

use Larder\Cache;
use Larder\Exception\InvalidDsn;
use Larder\Exception\StoreUnavailable;
use Larder\Tests\Driver\DriverTestCase;
use Larder\Tests\Servers;

/** A master that is found by a sentinel. */
final class SentinelTest extends DriverTestCase
{
    public static function dsn(string $namespace): string
    {
        $nodes = Servers::watchedRedis();

        return \sprintf(
            'redis+sentinel://:%s@%s/shop?namespace=%s',
            RedisNodes::PASSWORD,
            $nodes->addresses($nodes->sentinels),
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

    public function testUnknownMasterIsReported(): void
    {
        $dsn = str_replace('/shop?', '/shopp?', self::dsn('unknown'));
        self::assertThrows(
            StoreUnavailable::class,
            Cache::open($dsn)->reach(...),
            'knows no master of the name that the DSN has',
        );
    }

    public function testMasterWithoutNameIsRefused(): void
    {
        foreach (['redis+sentinel://127.0.0.1', 'redis+sentinel://127.0.0.1/', 'redis+sentinel:///shop'] as $dsn) {
            self::assertThrows(
                InvalidDsn::class,
                static fn(): Cache => Cache::open($dsn),
                'does not name sentinels and the name of the master',
            );
        }
    }

    public function testDatabasesAreSeparate(): void
    {
        $caches = array_map(
            static fn(int $database): Cache => Cache::open(self::dsn('databases') . "&database=$database"),
            [1, 2],
        );
        $caches[0]->set('k', 1);
        self::assertSame([1, null], [$caches[0]->get('k'), $caches[1]->get('k')]);
    }
}

<?php

declare(strict_types=1);

namespace Larder\Tests\Driver\Redis\Topology;

use Larder\Cache;
use Larder\Tests\Servers;
use PHPUnit\Framework\TestCase;

/** A replica that is cut off from its master, and a cache that reads from it. The master decides the cache's writes. */
final class LaggingReplicaTest extends TestCase
{
    private const OUTDATED = ['page', 'add', 'increment', 'replace', 'touch', 'swapped'];

    private static RedisNodes $nodes;

    /** The writer's cache, at the master. */
    private static Cache $master;

    /** The reader's cache. */
    private static Cache $replica;

    public static function setUpBeforeClass(): void
    {
        self::$nodes = RedisNodes::watched(Servers::directory('lagging'), 1, 1);
        RedisNodes::await(static function (): bool {
            $replicas = self::$nodes->ask(self::$nodes->sentinels[0], 'SENTINEL', 'REPLICAS', 'shop');
            $fields = \is_array($replicas) && \is_array($replicas[0] ?? null)
                ? implode(' ', array_filter($replicas[0], is_string(...)))
                : '';

            return str_contains($fields, 'flags slave ') && str_contains($fields, 'master-link-status ok ');
        });
        $dsn = \sprintf(
            'redis+sentinel://:%s@%s/shop',
            RedisNodes::PASSWORD,
            self::$nodes->addresses(self::$nodes->sentinels),
        );
        self::$master = Cache::open($dsn . '?read=master' . Servers::PATIENTLY);
        self::$replica = Cache::open($dsn . '?read=replica' . Servers::PATIENTLY);
        self::$master->setMany(array_fill_keys(self::OUTDATED, 'outdated'), 600, ['shop']);
        RedisNodes::await(
            static fn(): bool
                => self::$replica->getMany(self::OUTDATED) === array_fill_keys(self::OUTDATED, 'outdated'),
        );
        [$master, $replica] = self::$nodes->ports();
        self::$nodes->ask($replica, 'CONFIG', 'SET', 'masterauth', 'wrong');
        self::$nodes->ask($master, 'CLIENT', 'KILL', 'TYPE', 'replica');
        RedisNodes::await(static fn(): bool => str_contains(
            (string) self::$nodes->text($replica, 'INFO', 'replication'),
            'master_link_status:down',
        ));
        self::$master->invalidateTags(['shop']);
    }

    public static function tearDownAfterClass(): void
    {
        self::$nodes->stop();
    }

    public function testRememberReturnsWhatTheReplicaLacks(): void
    {
        self::$master->set('price', 99);
        self::assertNull(self::$replica->get('price'), 'the control: the replica lacks it');
        self::assertSame(99, self::$replica->remember('price', 60, self::computed(...)));
        self::assertSame(
            ['price' => 99, 'other' => 1],
            self::$replica->rememberMany(
                ['price', 'other'],
                60,
                static fn(array $missing): array => array_fill_keys($missing, 1),
            ),
        );
        self::assertSame([99, 1], [self::$master->get('price'), self::$master->get('other')]);
    }

    public function testValueIsComputedOnceWhileTheReplicaLacksIt(): void
    {
        $calls = 0;
        $make = static function () use (&$calls): int {
            return ++$calls;
        };
        foreach (range(1, 5) as $_) {
            self::assertSame(1, self::$replica->remember('computed', 60, $make));
        }
    }

    /** The replica still has the old value. */
    public function testStaleValueOfTheReplicaIsNotComputedAgain(): void
    {
        self::$master->set('page', 'new', 60, ['shop']);
        self::assertNull(self::$replica->get('page'), 'the control');
        self::assertSame('new', self::$replica->remember('page', 60, self::computed(...), tags: ['shop']));
        self::assertSame('new', self::$master->get('page'));
    }

    /** Because of an outdated value, they remove it first: a newer one must stay. */
    public function testAtomicOperationsRemoveNothingThatTheReplicaLacks(): void
    {
        self::assertTrue(self::$master->add('add', 'A', 60));
        self::assertFalse(self::$replica->add('add', 'B', 60));
        self::assertSame(6, self::$master->increment('increment', 1, 5));
        self::assertSame(7, self::$replica->increment('increment', 1, 5));
        foreach (['replace', 'touch'] as $key) {
            self::$master->set($key, 'A', 60);
        }
        self::assertTrue(self::$replica->replace('replace', 'B', 60));
        self::assertTrue(self::$replica->touch('touch', 60));
        self::$master->set('swapped', 'A', 60, ['shop']);
        self::assertSame('A', self::$replica->getWithToken('swapped', null, $token));
        self::assertTrue(self::$replica->setIfUnchanged('swapped', (string) $token, 'B'));
        self::assertSame(
            ['A', 7, 'B', 'A', 'B'],
            array_map(self::$master->get(...), ['add', 'increment', 'replace', 'touch', 'swapped']),
        );
    }

    private static function computed(): mixed
    {
        return 'computed';
    }
}

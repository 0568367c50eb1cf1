<?php

declare(strict_types=1);

namespace Larder\Tests\Remember;

use Larder\Cache;
use Larder\Cli\Server\RedisServer;
use Larder\Driver\Memory\ArrayStore;
use Larder\Exception\StoreFailed;
use Larder\Internal\Driver\None\NullStore;
use Larder\Internal\Remember\Freshness;
use Larder\Internal\Remember\Remember;
use Larder\Internal\Remember\StoredValue;
use Larder\Remember\RememberOptions;
use Larder\Testing\Fork;
use Larder\Testing\SetClock;
use Larder\Tests\Driver\File\FileTest;
use Larder\Tests\Driver\TestedStore;
use Larder\Tests\Servers;
use Larder\Tests\Tag\RecordingStore;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\TestCase;
use Random\Engine\Mt19937;
use Random\Randomizer;

/** Tests of behaviour that not every store has. */
#[Group('waiting')]
final class RememberTest extends TestCase
{
    /** The control of testOneOfManyProcessesComputes: without locks every process computes. */
    public function testManyProcessesComputeWithoutLocks(): void
    {
        $log = Servers::directory('remember') . '/without-locks';
        $store = new RecordingStore((new TestedStore(FileTest::class))->open('remember')->store());
        $store->delete('k');
        $forks = Fork::several(10, static function (int $process, \Closure $awaitOthers) use ($store, $log): mixed {
            $awaitOthers();

            return (new Cache($store))->remember('k', 60, static function () use ($log): string {
                file_put_contents($log, '.', \FILE_APPEND);
                usleep(50_000);

                return 'computed';
            });
        });
        foreach ($forks as $fork) {
            self::assertSame('computed', $fork->result());
        }
        self::assertGreaterThan(1, \strlen((string) file_get_contents($log)));
    }

    public function testNullStoreComputesEachTime(): void
    {
        $cache = new Cache(new NullStore());
        for ($i = 0; $i < 3; ++$i) {
            self::assertSame($i, $cache->remember('k', 60, self::value($i), stale: 60, tags: ['t']));
        }
    }

    /** PHP ends a process that compares two arrays that contain themselves. */
    public function testRecursiveArrayIsRecomputed(): void
    {
        foreach (['array:', 'file://' . Servers::directory('remember-itself')] as $address) {
            $cache = Cache::open($address);
            $itself = ['x'];
            $itself['itself'] = &$itself;
            self::assertTrue($cache->set('k', $itself));
            $made = $cache->remember('k', 60, static fn(): string => bin2hex(random_bytes(4)), beta: \INF);
            self::assertSame($made, $cache->get('k'));
        }
    }

    public function testOutageComputesWithoutWaiting(): void
    {
        $server = RedisServer::start(Servers::directory('remember-away'));
        $cache = Cache::open('redis://' . $server->socket);
        $throwing = Cache::open('redis://' . $server->socket . '?on_failure=throw');
        self::assertSame(1, $cache->remember('k', 60, self::value(1)));
        $server->stop();
        $start = microtime(true);
        self::assertSame(2, $cache->remember('k', 60, self::value(2), wait: 60));
        self::assertSame(3, $cache->remember('k', 60, self::value(3), tags: ['t'], wait: 60));
        self::assertLessThan(30.0, microtime(true) - $start, 'nothing was waited for');
        $this->expectException(StoreFailed::class);
        $throwing->remember('k', 60, self::value(4));
    }

    /** It accepts a placeholder, but neither the value nor the release of the lease. */
    public function testStoreThatRefusesToCompareMakesNobodyWait(): void
    {
        $server = RedisServer::start(Servers::directory('remember-without-scripts'));
        $admin = new \Redis();
        $admin->connect($server->socket);
        $admin->rawcommand('ACL', 'SETUSER', 'plain', 'on', '>word', '~*', '+@all', '-eval', '-evalsha');
        $start = microtime(true);
        for ($i = 0; $i < 3; ++$i) {
            $open = static fn(): Cache
                => Cache::open("redis://plain:word@{$server->socket}" . '?' . ltrim(Servers::PATIENTLY, '&'));
            self::assertSame(
                $i,
                Fork::run(static fn(): mixed => $open()->remember('k', 60, self::value($i), wait: 60, lease: 60)),
            );
        }
        self::assertLessThan(30.0, microtime(true) - $start);
    }

    /** The share of reads that recompute the value, second by second before its end. */
    public function testEarlyRecomputationFollowsXFetch(): void
    {
        $clock = new SetClock(new \DateTimeImmutable('@1000'));
        $store = new ArrayStore();
        $remember = new Remember($store, new Freshness($clock, new Randomizer(new Mt19937(7))));
        foreach ([[1.0, exp(-1.0)], [3.0, exp(-3.0)], [40.0, 0.0]] as [$left, $expected]) {
            $made = 0;
            for ($i = 0; $i < 2000; ++$i) {
                $store->set('k', (new StoredValue('old', 1000.0 + $left, 1.0))->stored());
                $made += $remember->value(new RememberOptions('k', 60, static fn(): mixed => self::value('new')()))
                    === 'new'
                    ? 1
                    : 0;
            }
            self::assertEqualsWithDelta($expected, $made / 2000, 0.05);
        }
        self::assertSame('new', $remember->value(new RememberOptions('k', 60, self::value('new'), beta: \INF)));
    }

    public function testForkDuringAComputationKeepsItsLease(): void
    {
        $cache = (new TestedStore(FileTest::class))->open('remember');
        $cache->delete('forks');
        $value = $cache->remember('forks', 60, function (): string {
            Fork::run(static fn(): bool => true);
            $other = Fork::start(static fn(): mixed => (new TestedStore(
                FileTest::class,
            ))->open('remember')->remember('forks', 60, self::value('twice')));
            usleep(300_000);
            $other->kill();

            return 'once';
        });
        self::assertSame(['once', 'once'], [$value, $cache->get('forks')]);
    }

    /** @return \Closure(): mixed */
    private static function value(mixed $value): \Closure
    {
        return static fn(): mixed => $value;
    }
}

<?php

declare(strict_types=1);

namespace Larder\Tests\Driver\Redis\Topology;

use Larder\Cache;
use Larder\Exception\StoreFailed;
use Larder\Internal\Driver\Redis\Topology\SlotMap;
use Larder\Internal\Key\NamespaceName;
use Larder\Internal\Key\ReservedKey;
use Larder\Testing\AssertsThrows;
use Larder\Tests\RecordingLogger;
use Larder\Tests\Servers;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

/** A cluster of three masters with a replica each, and a master with two replicas and three sentinels. */
#[Group('cluster')]
final class FailoverTest extends TestCase
{
    use AssertsThrows;

    private RedisNodes $nodes;

    protected function tearDown(): void
    {
        $this->nodes->stop();
    }

    public function testReplicaIsReadAndWhatLarderDecidesByIsNot(): void
    {
        $this->nodes = RedisNodes::cluster(Servers::directory('replicas'), 3, 1);
        $cache = $this->cache('&read=replica');
        self::assertTrue($cache->set('k', 'new', 60));
        usleep(100_000);
        $replica = $this->replicaOf('k');
        $before = $this->reads($replica);
        self::assertSame(['new', ['k' => 'new'], true], [$cache->get('k'), $cache->getMany(['k']), $cache->has('k')]);
        self::assertSame($before + 3, $this->reads($replica));
        $this->cutOff('k');
        self::assertTrue($cache->set('k', 'newer', 60));
        self::assertSame('new', $cache->get('k'), 'the control: this one is behind');
        $before = $this->reads($replica);
        self::assertGreaterThan(microtime(true), $cache->expiry('k'));
        self::assertTrue($cache->add('l{k}', 1) && $cache->swap('l{k}', 1, 2) && $cache->increment('l{k}') === 3);
        self::assertTrue($cache->lock('k', 10)?->release());
        self::assertSame($before, $this->reads($replica));
    }

    public function testInvalidatedValueIsNotReadFromAReplica(): void
    {
        $this->nodes = RedisNodes::cluster(Servers::directory('replica-tags'), 3, 1);
        $cache = $this->cache('&read=replica');
        $make = static fn(): string => bin2hex(random_bytes(8));
        $first = $cache->remember('page', 60, $make, tags: ['shop']);
        usleep(100_000);
        self::assertSame($first, $cache->get('page'));
        array_map($this->cutOff(...), [ReservedKey::tag('shop'), 'page']);
        self::assertTrue($cache->invalidateTags(['shop']));
        self::assertNull($cache->get('page'));
    }

    public function testReplicaThatIsGoneIsReplacedByItsMaster(): void
    {
        $this->nodes = RedisNodes::cluster(Servers::directory('gone-replicas'), 3, 1);
        $cache = $this->cache('&read=replica');
        self::assertTrue($cache->set('k', 1) && $cache->get('k') === 1);
        $this->nodes->kill($this->replicaOf('k'));
        self::assertSame([1, ['k' => 1], true], [$cache->get('k'), $cache->getMany(['k']), $cache->has('k')]);
    }

    /** Each master has its own breaker, and there is one log line. */
    public function testOtherMastersServeWhileOneIsGone(): void
    {
        $this->nodes = RedisNodes::cluster(Servers::directory('one-gone'), 3, 0);
        foreach ($this->nodes->ports() as $port) {
            $this->nodes->ask($port, 'CONFIG', 'SET', 'cluster-require-full-coverage', 'no');
        }
        $log = new RecordingLogger();
        $cache = Cache::open($this->dsn(), $log);
        $keys = $its = $theirs = [];
        for ($i = 0; $i < 30; ++$i) {
            $keys[] = 'k' . $i;
        }
        self::assertTrue($cache->setMany(array_fill_keys($keys, 'v')));
        $gone = $this->nodes->ports()[0];
        foreach ($keys as $key) {
            if ($this->masterOf($key) === $gone) {
                $its[] = $key;
            } else {
                $theirs[] = $key;
            }
        }
        self::assertArrayHasKey(0, $its);
        self::assertArrayHasKey(0, $theirs);
        $this->nodes->kill($gone);
        foreach (range(1, 3) as $_) {
            self::assertSame(array_fill_keys($theirs, 'v'), array_filter($cache->getMany($keys), is_string(...)));
            self::assertNull($cache->get($its[0]));
            self::assertSame('v', $cache->get($theirs[0]));
            self::assertTrue($cache->set($theirs[0], 'v') && !$cache->set($its[0], 'v'));
            self::assertFalse($cache->clear());
            self::assertSame(array_fill_keys($theirs, null), $cache->getMany($theirs), 'the others were cleared');
            self::assertTrue($cache->setMany(array_fill_keys($theirs, 'v')));
        }
        self::assertCount(1, $log->entries());
        self::assertStringContainsString("127.0.0.1:$gone is away", $log->entries()[0]);
        self::assertThrows(
            StoreFailed::class,
            fn(): mixed => $this->cache('&on_failure=throw')->get($its[0]),
            "127.0.0.1:$gone",
        );
        $this->nodes->restart($gone);
        RedisNodes::await(static fn(): bool => $cache->set($its[0], 'again'));
        self::assertSame('again', $cache->get($its[0]));
    }

    public function testMasterThatIsOneNoLongerIsNotWrittenTo(): void
    {
        $this->nodes = RedisNodes::watched(Servers::directory('roles'), 2, 3);
        $dsn = \sprintf(
            'redis+sentinel://:%s@%s/shop?on_failure=throw',
            RedisNodes::PASSWORD,
            $this->nodes->addresses($this->nodes->sentinels),
        );
        $cache = Cache::open($dsn);
        self::assertTrue($cache->set('k', 1));
        $old = $this->nodes->ports()[0];
        $this->nodes->ask($this->nodes->sentinels[0], 'SENTINEL', 'FAILOVER', 'shop');
        RedisNodes::await(fn(): bool => \is_array($role = $this->nodes->ask($old, 'ROLE')) && $role[0] === 'slave');
        // The connection to the old master is still open: the master answers READONLY, so nothing was done twice.
        self::assertSame(6, $cache->increment('n', 1, 5));
        self::assertSame(7, $cache->increment('n'));
        self::assertSame(7, Cache::open($dsn)->get('n'));
        self::assertSame(7, Cache::open($dsn . '&read=replica')->increment('n', 0));
        // The map still names the old master, like that of a process that has slept.
        $this->nodes->kill($this->nodes->sentinels[0]);
        self::assertSame(8, Cache::open($dsn)->increment('n'));
    }

    /** Each of the two directories simulates the memory of a host. */
    public function testListenerHearsEveryMasterAndFollowsAFailover(): void
    {
        $this->nodes = RedisNodes::cluster(Servers::directory('listened'), 3, 1);
        $tier = fn(string $host): string
            => \sprintf('tier:(file://%s)(%s)?poll=60', Servers::directory("host-$host"), $this->dsn());
        [$here, $there] = [Cache::open($tier('here')), Cache::open($tier('there'))];
        $keys = ['a', 'b', 'c', 'd', 'e', 'f'];
        self::assertCount(3, array_unique(array_map($this->masterOf(...), $keys)), 'a key at each');
        $write = static function (string $value) use ($here, $there, $keys): void {
            usleep(200_000); // no copies are made just after all became invalid
            self::assertSame($keys, array_keys($here->getMany($keys)));
            foreach ($keys as $key) {
                $there->set($key, $value);
            }
        };
        $write('old');
        self::assertTrue(self::sees($here, $keys, 'old'));
        $write('new');
        self::assertTrue(self::sees($here, $keys, 'old'), 'the control: nobody listens, nobody asks');
        $listener = new Process(
            [\PHP_BINARY, \dirname(__DIR__, 5) . '/cli/bin/larder', 'listen', $tier('here')],
            timeout: 120,
        );
        $listener->start();
        $isListening = static fn(int $times): \Closure => static fn(): bool
            => substr_count($listener->getOutput(), 'listening to 127.0.0.1:') >= $times;
        RedisNodes::await($isListening(1));
        $write('newer');
        RedisNodes::await(static fn(): bool => self::sees($here, $keys, 'newer'));
        // Another server becomes the master; the old one keeps its address.
        $this->nodes->ask($this->replicaOf('a'), 'CLUSTER', 'FAILOVER');
        RedisNodes::await(static fn(): bool => $there->set('a', 'newest'));
        $write('newest');
        RedisNodes::await(static fn(): bool => self::sees($here, $keys, 'newest'));
        $this->nodes->kill($this->masterOf('b'));
        RedisNodes::await(static fn(): bool => $there->set('b', 'after') && $there->get('b') === 'after');
        RedisNodes::await($isListening(2));
        $write('last');
        RedisNodes::await(static fn(): bool => self::sees($here, $keys, 'last'));
        $listener->stop();
        self::assertSame('', $listener->getErrorOutput());
    }

    /**
     * @param list<string> $keys
     * @phpstan-impure
     */
    private static function sees(Cache $cache, array $keys, string $value): bool
    {
        return $cache->getMany($keys) === array_fill_keys($keys, $value);
    }

    private function cache(string $options): Cache
    {
        return Cache::open($this->dsn() . $options);
    }

    private function dsn(): string
    {
        return \sprintf('redis+cluster://:%s@%s?namespace=failover', RedisNodes::PASSWORD, $this->nodes->addresses());
    }

    private function masterOf(string $key): int
    {
        return self::port($this->map()->master(NamespaceName::prefix('failover') . $key));
    }

    private function replicaOf(string $key): int
    {
        return self::port($this->map()->replicas(NamespaceName::prefix('failover') . $key)[0] ?? null);
    }

    /** The replica of a key no longer receives its master's changes. */
    private function cutOff(string $key): void
    {
        $replica = $this->replicaOf($key);
        $this->nodes->ask($replica, 'CONFIG', 'SET', 'masterauth', 'wrong');
        $this->nodes->ask($this->masterOf($key), 'CLIENT', 'KILL', 'TYPE', 'replica');
        RedisNodes::await(fn(): bool => str_contains(
            (string) $this->nodes->text($replica, 'INFO', 'replication'),
            'master_link_status:down',
        ));
    }

    private function map(): SlotMap
    {
        return SlotMap::ofAnswer($this->nodes->ask($this->nodes->ports()[1], 'CLUSTER', 'SLOTS'), '')
            ?? self::fail('no slots');
    }

    /** @return int number of reads on that server */
    private function reads(int $port): int
    {
        preg_match_all(
            '/^cmdstat_(?:get|mget|exists|eval|evalsha):calls=(\d+)/m',
            (string) $this->nodes->text($port, 'INFO', 'commandstats'),
            $calls,
        );

        return array_sum(array_map(intval(...), $calls[1]));
    }

    private static function port(?string $address): int
    {
        return (int) substr((string) strrchr((string) $address, ':'), 1);
    }
}

<?php

declare(strict_types=1);

namespace Larder\Tests\Driver\Redis;

use Larder\Cache;
use Larder\Exception\StoreFailed;
use Larder\Exception\StoreUnavailable;
use Larder\Testing\AssertsThrows;
use Larder\Tests\Driver\Redis\Topology\RedisNodes;
use Larder\Tests\RecordingLogger;
use Larder\Tests\Servers;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Predis\Client;
use Psr\Log\NullLogger;

/** A server answers reads, and refuses all writes, for reasons other than the value. */
final class RefusedRequestsTest extends TestCase
{
    use AssertsThrows;

    private static ?RedisNodes $nodes = null;
    /** Seconds: with another timeout, a server counts as another one, of which nothing is known yet. */
    private static int $timeout = 10;
    private static RecordingLogger $log;
    private string $repair = '';
    private RedisNodes $refusing;

    public static function tearDownAfterClass(): void
    {
        self::$nodes?->stop();
        self::$nodes = null;
    }

    protected function setUp(): void
    {
        $this->refusing = self::nodes();
    }

    protected function tearDown(): void
    {
        $this->repair();
    }

    /** @return iterable<string, array{string, \Closure(string): Cache}> */
    public static function cases(): iterable
    {
        $log = static fn(): RecordingLogger => self::$log = new RecordingLogger();
        $password = RedisNodes::PASSWORD;
        $timeout = static fn(): string => '&timeout=' . self::$timeout;
        $clients = [
            'phpredis' => static fn(string $options): Cache => Cache::open(
                \sprintf('redis://:%s@%s?%s', $password, self::address(), $options . $timeout()),
                $log(),
            ),
            'Predis' => static fn(string $options): Cache => Cache::open(
                \sprintf('redis://:%s@%s?client=predis&%s', $password, self::address(), $options . $timeout()),
                $log(),
            ),
            'phpredis of the application' => static function (string $options) use ($log, $password): Cache {
                $client = new \Redis();
                $client->connect(...self::hostAndPort());
                $client->auth($password);

                return Cache::over($client, $options, $log());
            },
            'Predis of the application' => static fn(string $options): Cache
                => Cache::over(new Client([
                    'host' => self::hostAndPort()[0],
                    'port' => self::hostAndPort()[1],
                    'password' => $password,
                ]), $options, $log()),
        ];
        foreach (['READONLY', 'MISCONF', 'NOREPLICAS', 'NOPERM'] as $word) {
            foreach ($clients as $client => $open) {
                yield "$client, $word" => [$word, $open];
            }
        }
        foreach (['MISCONF', 'NOREPLICAS'] as $word) {
            yield "sentinel, $word" => [$word, static fn(string $options): Cache
                => Cache::open(
                    \sprintf(
                        'redis+sentinel://:%s@%s/shop?%s',
                        $password,
                        self::nodes()->addresses(self::nodes()->sentinels),
                        $options . $timeout(),
                    ),
                    $log(),
                )];
        }
    }

    /** @param \Closure(string): Cache $open */
    #[DataProvider('cases')]
    public function testRefusalOfAllWritesIsReported(string $word, \Closure $open): void
    {
        ++self::$timeout;
        $options = 'namespace=' . bin2hex(random_bytes(4)) . '&on_failure=';
        self::assertTrue($open($options . 'miss')->set('k', 'old', 60));
        $this->refuse($word);

        $cache = $open($options . 'miss');
        $log = self::$log;
        foreach (self::writes() as $name => $write) {
            self::assertContains($write($cache), [false, null], $name);
            self::assertSame('old', $cache->get('k'), 'reads are answered');
        }
        self::assertCount(1, $log->entries(), implode("\n", $log->entries()));
        self::assertStringContainsString('refuses requests: ', $log->entries()[0]);
        self::assertStringContainsString($word, $log->entries()[0]);

        $throwing = $open($options . 'throw');
        foreach (self::writes() as $name => $write) {
            $failure = self::assertThrows(StoreFailed::class, static fn(): mixed => $write($throwing), $word);
            self::assertTrue($failure->isOfRequest, $name);
            self::assertSame('old', $throwing->get('k'));
        }
        self::assertThrows(StoreUnavailable::class, $cache->reach(...), $word);
        self::assertThrows(StoreUnavailable::class, $open($options . 'miss')->reach(...), $word);

        $this->repair();
        self::assertTrue($cache->set('k', 'new', 60));
        self::assertSame('new', $cache->get('k'));
        $cache->reach();
        self::assertTrue($cache->clear());
    }

    /** Each master of a cluster refuses. */
    public function testRefusalOfAClusterIsReported(): void
    {
        $this->refusing = Servers::redisCluster();
        $dsn = \sprintf('redis+cluster://:%s@%s?namespace=refusing', RedisNodes::PASSWORD, $this->refusing->addresses())
            . Servers::PATIENTLY;
        $cache = Cache::open($dsn, self::$log = new RecordingLogger());
        self::assertTrue($cache->set('k', 'old'));
        $this->refuse('MISCONF');
        foreach (self::writes() as $name => $write) {
            self::assertContains($write($cache), [false, null], $name);
            self::assertSame('old', $cache->get('k'));
            self::assertThrows(
                StoreFailed::class,
                static fn(): mixed => $write(Cache::open($dsn . '&on_failure=throw', new NullLogger())),
                'MISCONF',
            );
        }
        self::assertLessThanOrEqual(3, \count(self::$log->entries()), 'a line for each master');
        self::assertStringContainsString('MISCONF', implode("\n", self::$log->entries()));
        self::assertThrows(StoreUnavailable::class, $cache->reach(...), 'MISCONF');
        $this->repair();
        $cache->reach();
        self::assertTrue($cache->clear());
    }

    /** The control: the value is the reason. */
    public function testRefusalOfOneValueIsNone(): void
    {
        foreach (['phpredis', 'predis'] as $client) {
            $log = new RecordingLogger();
            $cache = Cache::open(
                \sprintf('redis://:%s@%s?client=%s&on_failure=throw', RedisNodes::PASSWORD, self::address(), $client),
                $log,
            );
            self::assertTrue($cache->set('n', 'text'));
            self::assertFalse($cache->increment('n'));
            $cache->reach();
            self::assertSame([], $log->entries());
        }
    }

    /** @return array<string, \Closure(Cache): mixed> */
    public static function writes(): array
    {
        return [
            'set' => static fn(Cache $cache): bool => $cache->set('k', 'new'),
            'set with a ttl' => static fn(Cache $cache): bool => $cache->set('k', 'new', 60),
            'setMany' => static fn(Cache $cache): bool => $cache->setMany(['k' => 'new', 'l' => 'new']),
            'delete' => static fn(Cache $cache): bool => $cache->delete('k'),
            'deleteMany' => static fn(Cache $cache): bool => $cache->deleteMany(['k', 'l']),
            'clear' => static fn(Cache $cache): bool => $cache->clear(),
            'invalidateTags' => static fn(Cache $cache): bool => $cache->invalidateTags(['t']),
            'add' => static fn(Cache $cache): bool => $cache->add('absent', 'new'),
            'replace' => static fn(Cache $cache): bool => $cache->replace('k', 'new'),
            'touch' => static fn(Cache $cache): bool => $cache->touch('k', 60),
            'increment' => static fn(Cache $cache): int|false => $cache->increment('n'),
            'increment with a ttl' => static fn(Cache $cache): int|false => $cache->increment('n', ttl: 60),
            'setIfUnchanged' => static function (Cache $cache): bool {
                $cache->getWithToken('k', null, $token);

                return $cache->setIfUnchanged('k', (string) $token, 'new');
            },
            'lock' => static fn(Cache $cache): mixed => $cache->lock('job', 10),
        ];
    }

    private function refuse(string $word): void
    {
        $this->repair = $word;
        foreach ($this->refusing->ports() as $port) {
            match ($word) {
                'READONLY' => $this->refusing->ask($port, 'REPLICAOF', '127.0.0.1', '1'),
                'NOREPLICAS' => $this->refusing->ask($port, 'CONFIG', 'SET', 'min-replicas-to-write', '1'),
                'NOPERM' => $this->refusing->ask($port, 'ACL', 'SETUSER', 'default', '-@write', '-@scripting'),
                default => self::failToSave($this->refusing, $port),
            };
        }
    }

    /** A directory has the name of the snapshot. */
    private static function failToSave(RedisNodes $nodes, int $port): void
    {
        $nodes->ask($port, 'CONFIG', 'SET', 'save', '3600 1');
        @mkdir(\sprintf('%s/%d/dump.rdb', $nodes->directory, $port));
        RedisNodes::await(static function () use ($nodes, $port): bool {
            $info = (string) $nodes->text($port, 'INFO', 'persistence');
            $isSaving = str_contains($info, 'rdb_bgsave_in_progress:1');
            if (!$isSaving && !str_contains($info, 'rdb_last_bgsave_status:err')) {
                $nodes->ask($port, 'BGSAVE', 'SCHEDULE');
            }

            return !$isSaving && str_contains($info, 'rdb_last_bgsave_status:err');
        });
    }

    private function repair(): void
    {
        $command = match ($this->repair) {
            'READONLY' => ['REPLICAOF', 'NO', 'ONE'],
            'NOREPLICAS' => ['CONFIG', 'SET', 'min-replicas-to-write', '0'],
            'NOPERM' => ['ACL', 'SETUSER', 'default', '+@all'],
            'MISCONF' => ['CONFIG', 'SET', 'save', ''],
            default => ['PING'],
        };
        foreach ($this->repair === '' ? [] : $this->refusing->ports() as $port) {
            $this->refusing->ask($port, ...$command);
        }
        $this->repair = '';
    }

    private static function nodes(): RedisNodes
    {
        return self::$nodes ??= RedisNodes::watched(Servers::directory('refusing'), 0, 1);
    }

    private static function address(): string
    {
        return self::nodes()->addresses();
    }

    /** @return array{string, int} */
    private static function hostAndPort(): array
    {
        return ['127.0.0.1', self::nodes()->ports()[0]];
    }
}

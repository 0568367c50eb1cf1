<?php

declare(strict_types=1);

namespace Larder\Tests\Psr;

use Larder\Cache;
use Larder\Psr\ItemPool;
use Larder\Psr\TaggablePool;
use Larder\Tests\Codec\Planted;
use Larder\Tests\Servers;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Psr\Log\NullLogger;

/** One of several deferred items cannot be stored: the others are, and nothing is thrown. */
final class CommitTest extends TestCase
{
    private string $log;
    private string $before;

    protected function setUp(): void
    {
        $this->log = Servers::directory('commit') . '/' . bin2hex(random_bytes(4));
        $this->before = (string) ini_set('error_log', $this->log);
    }

    protected function tearDown(): void
    {
        ini_set('error_log', $this->before);
    }

    /** @return iterable<string, array{string, object}> a store, and a value that it refuses with an exception */
    public static function refusals(): iterable
    {
        $file = 'file://' . Servers::directory('commit-files');
        $redis = \sprintf('redis://%s?namespace=commit%s', Servers::redis()->socket, Servers::PATIENTLY);
        yield 'a class that is not allowed' => ["$file?classes=none", new Planted()];
        yield 'a class that is not allowed on a server' => ["$redis&classes=none", new Planted()];
        yield 'a class that is not allowed on a server, which throws' => [
            "$redis&classes=none&on_failure=throw",
            new Planted(),
        ];
        foreach ([$file, $redis, 'larder:?namespace=commit', 'array:'] as $dsn) {
            yield "what is serialized once, $dsn" => [$dsn, new SerializedOnce()];
        }
    }

    #[DataProvider('refusals')]
    public function testOtherItemsAreStored(string $dsn, object $refused): void
    {
        foreach ([ItemPool::class, TaggablePool::class] as $class) {
            foreach ([true, false] as $isCalled) {
                $cache = Cache::open($dsn);
                $cache->clear();
                $pool = new $class($cache);
                foreach (['a' => 10, 'refused' => 10, 'b' => 10, 'c' => 20, 'd' => null] as $key => $seconds) {
                    self::assertTrue($pool->saveDeferred($pool->getItem(
                        $key,
                    )->set($key === 'refused' ? $refused : $key)->expiresAfter($seconds)));
                }
                self::assertFalse($isCalled && $pool->commit());
                unset($pool);
                self::assertSame(
                    ['a' => 'a', 'refused' => null, 'b' => 'b', 'c' => 'c', 'd' => 'd'],
                    $cache->getMany(['a', 'refused', 'b', 'c', 'd']),
                );
                self::assertMatchesRegularExpression(
                    '/^.+ larder: 1 of the deferred items could not be stored, such as "refused": .+\n$/',
                    (string) file_get_contents($this->log),
                );
                unlink($this->log);
            }
        }
    }

    public function testItemsOfTheServersThatAnswerAreStored(): void
    {
        $gone = Servers::another('redis');
        $there = Servers::redis()->socket;
        $cache = Cache::open(
            \sprintf(
                'redis://%s,%s?namespace=commit-shards&on_failure=throw%s',
                $gone->socket,
                $there,
                Servers::PATIENTLY,
            ),
            new NullLogger(),
        );
        $pool = new ItemPool($cache);
        $keys = array_map(static fn(int $i): string => "k$i", range(1, 40));
        foreach ($keys as $i => $key) {
            $pool->saveDeferred($pool->getItem($key)->set($key)->expiresAfter(60 + $i % 3));
        }
        $gone->stop();
        self::assertFalse($pool->commit());
        $stored = array_filter($keys, static function (string $key) use ($cache): bool {
            try {
                return $cache->get($key) === $key;
            } catch (\Throwable) {
                return false;
            }
        });
        $onServer = new \Redis();
        $onServer->connect($there);
        self::assertGreaterThan(0, \count($stored));
        self::assertCount(\count($stored), (array) $onServer->keys('*commit-shards:k*'));
        self::assertMatchesRegularExpression(
            '/^.+ larder: \d+ of the deferred items could not be stored, such as "k\d+": redis: .+\n$/',
            (string) file_get_contents($this->log),
        );
        $pool->saveDeferred((new ItemPool(Cache::open('array:')))->getItem('k1')->set(1));
        $pool->saveDeferred((new ItemPool(Cache::open('array:')))->getItem('k2')->set(2)->expiresAfter(0));
        unset($pool); // its destructor throws nothing
    }

    /** Like when it is saved at once: the old value is gone. */
    public function testItemThatCannotBeReadIsAMiss(): void
    {
        $pool = new ItemPool($cache = Cache::open('array:'));
        $cache->set('k', 'old');
        $pool->saveDeferred($pool->getItem('k')->set(new NeverRead()));
        self::assertTrue($pool->commit());
        self::assertSame('miss', $cache->get('k', 'miss'));
    }
}

<?php

declare(strict_types=1);

namespace Larder\Tests\Driver\Redis\Borrowed;

use Larder\Cache;
use Larder\Exception\StoreFailed;
use Larder\Exception\StoreUnavailable;
use PHPUnit\Framework\Attributes\TestWith;
use Predis\Client;
use Psr\Log\NullLogger;

final class BorrowedPredisTest extends BorrowedRedisTestCase
{
    protected static function client(string $socket): Client
    {
        return new Client(['scheme' => 'unix', 'path' => $socket], ['prefix' => 'application:', 'exceptions' => false]);
    }

    protected static function lazy(string $socket): \Closure
    {
        return static fn(): Client => self::client($socket);
    }

    protected static function readOwn(object $client): mixed
    {
        return $client instanceof Client ? unserialize((string) $client->get('own')) : null;
    }

    protected static function writeOwn(object $client, mixed $value): void
    {
        self::assertInstanceOf(Client::class, $client);
        $client->set('own', serialize($value));
    }

    protected static function readRaw(object $client): mixed
    {
        return $client instanceof Client ? $client->executeRaw(['GET', 'own']) : null;
    }

    protected static function raw(object $client, string ...$words): void
    {
        self::assertInstanceOf(Client::class, $client);
        $client->executeRaw($words);
    }

    protected static function close(object $client): void
    {
        self::assertInstanceOf(Client::class, $client);
        $client->disconnect();
    }

    protected static function reconnect(object $client, string $socket): void
    {
        self::close($client);
    }

    /** By default, Predis throws the server's refusals; at first, the server does not know the script. */
    #[TestWith([true])]
    #[TestWith([false])]
    public function testRefusalsAreNoOutageWhetherPredisThrowsThemOrNot(bool $throws): void
    {
        $client = new Client(['scheme' => 'unix', 'path' => self::socket()], ['exceptions' => $throws]);
        $client->executeRaw(['SCRIPT', 'FLUSH']);
        $cache = Cache::over($client, 'namespace=refusals&on_failure=throw');
        self::assertTrue($cache->set('k', 1));
        self::assertSame([6, true, 60], [
            $cache->increment('n', 1, 5, 60),
            $cache->swap('k', 1, 2),
            (int) round((float) $cache->expiry('n') - microtime(true)),
        ]);
        $client->executeRaw(['RPUSH', 'larder-cache:refusals:list', 'x']);
        self::assertSame(['miss', false], [$cache->get('list', 'miss'), $cache->increment('list')]);
        self::assertTrue($cache->clear());
    }

    #[TestWith([true])]
    #[TestWith([false])]
    public function testUserWithoutRightsIsAFailureWhetherPredisThrowsItOrNot(bool $throws): void
    {
        $client = new Client(['scheme' => 'unix', 'path' => self::socket()], ['exceptions' => $throws]);
        $client->executeRaw(['ACL', 'SETUSER', 'writer', 'on', 'nopass', '~*', '+ping', '+set', '-get']);
        $client->executeRaw(['AUTH', 'writer', 'any']);
        $cache = Cache::over($client, 'namespace=rights&on_failure=throw', new NullLogger());
        self::assertTrue($cache->set('k', 1));
        self::assertThrows(StoreFailed::class, static fn() => $cache->get('k'), 'NOPERM');
    }

    public function testQueuedCommandIsReported(): void
    {
        $client = self::client(self::socket());
        $cache = Cache::over($client, 'namespace=queued&on_failure=throw', new NullLogger());
        $client->executeRaw(['MULTI']);
        self::assertThrows(StoreFailed::class, static fn() => $cache->get('k'), 'a transaction of the application');
        $client->executeRaw(['DISCARD']);
    }

    /** Otherwise parent and child would receive each other's replies. */
    public function testPersistentConnectionIsNotUsedInAFork(): void
    {
        $connect = static fn(): Client
            => new Client(['scheme' => 'unix', 'path' => self::socket(), 'persistent' => true]);
        $cache = Cache::over($connect, 'namespace=persistent&on_failure=throw', new NullLogger());
        self::assertForkIsRefused("persistent connection of the client is its parent's", $cache);
        $connect()->disconnect();
    }

    public function testClientOfSeveralServersIsRefused(): void
    {
        $parameters = ['scheme' => 'unix', 'path' => self::socket()];
        $client = new Client([$parameters, $parameters], ['cluster' => 'predis']);
        self::assertThrows(StoreUnavailable::class, Cache::over($client)->reach(...), 'several servers');
    }
}

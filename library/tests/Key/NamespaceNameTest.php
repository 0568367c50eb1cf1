<?php

declare(strict_types=1);

namespace Larder\Tests\Key;

use Larder\Contract\Store;
use Larder\Drivers;
use Larder\Dsn\Endpoint;
use Larder\Exception\InvalidDsn;
use Larder\Internal\Driver\Apcu\ApcuStore;
use Larder\Internal\Driver\Engine\EngineStore;
use Larder\Internal\Driver\File\FileStore;
use Larder\Internal\Driver\Legacy\MySqlMemory\MySqlMemoryStore;
use Larder\Internal\Driver\Legacy\Shmop\ShmopStore;
use Larder\Internal\Driver\Legacy\Yac\YacStore;
use Larder\Internal\Driver\Memcached\MemcachedStore;
use Larder\Internal\Driver\Memcached\TextConnection;
use Larder\Internal\Driver\MySql\Server\MySqlConnection;
use Larder\Internal\Driver\PhpFile\PhpFileStore;
use Larder\Internal\Driver\Redis\Phpredis;
use Larder\Internal\Driver\Redis\RedisStore;
use Larder\Internal\Driver\Sql\RemoteSqlStore;
use Larder\Internal\Driver\Sql\SqlStore;
use Larder\Internal\Driver\Sqlite\SqliteConnection;
use Larder\Server\ConnectionSettings;
use Larder\Testing\AssertsThrows;
use Larder\Tests\Servers;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

/** A store accepts no namespace name that could collide with another. */
final class NamespaceNameTest extends TestCase
{
    use AssertsThrows;

    private const BAD = ['', 'a:b', 'a/b', '../a', 'a`b', 'a b', "a\n", 'ä', '*', '0123456789abcdef0123456789abcdef0'];

    /** @return iterable<string, array{\Closure(string): Store}> */
    public static function stores(): iterable
    {
        $endpoint = Endpoint::tcp('127.0.0.1', 1);
        $settings = new ConnectionSettings($endpoint);
        $connection = static fn(): MySqlConnection
            => new MySqlConnection($endpoint, 'larder', 'nobody', '', 1.0, false);
        yield 'larder' => [static fn(string $name): Store => new EngineStore(namespace: $name)];
        yield 'apcu' => [static fn(string $name): Store => new ApcuStore($name)];
        yield 'yac' => [static fn(string $name): Store => new YacStore($name)];
        yield 'shmop' => [static fn(string $name): Store => new ShmopStore($name)];
        yield 'memcached' => [
            static fn(string $name): Store => new MemcachedStore(new TextConnection('memcached', $settings), $name),
        ];
        yield 'redis' => [static fn(string $name): Store => new RedisStore(new Phpredis($settings), $name)];
        yield 'mysql' => [static fn(string $name): Store => new RemoteSqlStore($connection(), $name, isShared: false)];
        yield 'mysql, memory' => [static fn(string $name): Store => new MySqlMemoryStore($connection(), $name)];
        yield 'sqlite' => [static fn(string $name): Store => new SqlStore(
            new SqliteConnection(Servers::directory('names') . '/cache.sqlite'),
            $name,
        )];
        yield 'file' => [
            static fn(string $name): Store => new FileStore(Servers::directory('names') . '/files', $name),
        ];
        yield 'php-file' => [
            static fn(string $name): Store => new PhpFileStore(Servers::directory('names') . '/files', $name),
        ];
    }

    /** @param \Closure(string): Store $open */
    #[DataProvider('stores')]
    public function testStoreRefusesInvalidNamespace(\Closure $open): void
    {
        foreach (self::BAD as $name) {
            self::assertThrows(InvalidDsn::class, static fn() => $open($name), '1 to 32 of the characters');
        }
        $open('Good_name-1');
    }

    public function testDsnRefusesInvalidNamespace(): void
    {
        foreach (self::BAD as $name) {
            self::assertThrows(
                InvalidDsn::class,
                static fn() => Drivers::parse('apcu:?namespace=' . rawurlencode($name))->namespace(),
                '1 to 32 of the characters',
            );
        }
    }
}

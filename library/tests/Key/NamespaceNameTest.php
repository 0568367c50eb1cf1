<?php

declare(strict_types=1);

namespace Larder\Tests\Key;

use Larder\Contract\Store;
use Larder\Driver\Apcu\ApcuStore;
use Larder\Driver\Engine\NamespacedEngineStore;
use Larder\Driver\File\FileStore;
use Larder\Driver\Legacy\MySqlMemory\MySqlMemoryStore;
use Larder\Driver\Legacy\Shmop\ShmopStore;
use Larder\Driver\Legacy\Yac\YacStore;
use Larder\Driver\Memcached\MemcachedStore;
use Larder\Driver\Memcached\MemcacheStore;
use Larder\Driver\MySql\MySqlStore;
use Larder\Driver\MySql\Server\MySqlConnection;
use Larder\Driver\PhpFile\PhpFileStore;
use Larder\Driver\Redis\PredisStore;
use Larder\Driver\Redis\RedisStore;
use Larder\Driver\Sqlite\SqliteStore;
use Larder\Drivers;
use Larder\Dsn\Endpoint;
use Larder\Exception\InvalidDsn;
use Larder\Server\ConnectionSettings;
use Larder\Testing\AssertsThrows;
use Larder\Tests\Servers;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

/** A store takes no name that could run into another's, whoever makes it. */
final class NamespaceNameTest extends TestCase
{
    use AssertsThrows;

    private const BAD = ['', 'a:b', 'a/b', '../a', 'a`b', 'a b', "a\n", 'ä', '*', '0123456789abcdef0123456789abcdef0'];

    /** @return iterable<string, array{\Closure(string): Store}> */
    public static function stores(): iterable
    {
        $endpoint = Endpoint::tcp('127.0.0.1', 1);
        $settings = new ConnectionSettings($endpoint);
        $connection = static fn(): MySqlConnection => new MySqlConnection($endpoint, 'larder', 'nobody', '', 1.0, false);
        yield 'larder' => [static fn(string $name): Store => new NamespacedEngineStore($name)];
        yield 'apcu' => [static fn(string $name): Store => new ApcuStore($name)];
        yield 'yac' => [static fn(string $name): Store => new YacStore($name)];
        yield 'shmop' => [static fn(string $name): Store => new ShmopStore($name)];
        yield 'memcached' => [static fn(string $name): Store => new MemcachedStore($settings, $name)];
        yield 'memcache' => [static fn(string $name): Store => new MemcacheStore($settings, $name)];
        yield 'redis' => [static fn(string $name): Store => new RedisStore($settings, $name)];
        yield 'predis' => [static fn(string $name): Store => new PredisStore($settings, $name)];
        yield 'mysql' => [static fn(string $name): Store => new MySqlStore($connection(), 'innodb', $name)];
        yield 'mysql, memory' => [static fn(string $name): Store => new MySqlMemoryStore($connection(), $name)];
        yield 'sqlite' => [static fn(string $name): Store => new SqliteStore(SqliteStore::connect(Servers::directory('names') . '/cache.sqlite'), $name)];
        yield 'file' => [static fn(string $name): Store => new FileStore(Servers::directory('names') . '/files', $name)];
        yield 'php-file' => [static fn(string $name): Store => new PhpFileStore(Servers::directory('names') . '/files', $name)];
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
            self::assertThrows(InvalidDsn::class, static fn() => Drivers::parse('apcu:?namespace=' . rawurlencode($name))->namespace(), '1 to 32 of the characters');
        }
    }
}

<?php

declare(strict_types=1);

namespace Larder\Tests\Driver;

use Larder\Cache;
use Larder\Cli\Server\MariaDbServer;
use Larder\Cli\Server\PostgreSqlServer;
use Larder\Cli\System\TemporaryDirectory;
use Larder\Exception\StoreFailed;
use Larder\Exception\StoreUnavailable;
use Larder\Testing\AssertsThrows;
use Larder\Tests\Driver\Redis\RefusedRequestsTest;
use Larder\Tests\RecordingLogger;
use Larder\Tests\Servers;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

/**
 * Databases that answer reads, and refuse all writes, for reasons other than the value; like RefusedRequestsTest for
 * Redis.
 */
final class RefusedWritesTest extends TestCase
{
    use AssertsThrows;

    private static ?TemporaryDirectory $memory = null;
    private static ?PostgreSqlServer $postgreSql = null;
    /** Seconds: with another timeout, a server counts as another one, of which nothing is known yet. */
    private static int $timeout = 20;
    private \Closure $repair;

    public static function tearDownAfterClass(): void
    {
        self::$postgreSql?->stop();
        self::$postgreSql = self::$memory = null;
    }

    protected function tearDown(): void
    {
        ($this->repair)();
    }

    /** @return iterable<string, array{string, string, string, string}> */
    public static function cases(): iterable
    {
        yield 'pgsql, read-only' => [
            'pgsql',
            'ALTER SYSTEM SET default_transaction_read_only = on',
            'ALTER SYSTEM RESET default_transaction_read_only',
            'read-only transaction',
        ];
        yield 'pgsql, rights' => [
            'pgsql',
            'REVOKE INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public FROM larder',
            'GRANT ALL ON ALL TABLES IN SCHEMA public TO larder',
            'permission denied',
        ];
        yield 'pgsql of the application, read-only' => [
            'pdo pgsql',
            'ALTER SYSTEM SET default_transaction_read_only = on',
            'ALTER SYSTEM RESET default_transaction_read_only',
            'read-only transaction',
        ];
        foreach (['innodb', 'myisam', 'memory'] as $engine) {
            yield "mysql, $engine, read-only" => [
                $engine,
                'SET GLOBAL read_only = 1',
                'SET GLOBAL read_only = 0',
                'read-only option',
            ];
            yield "mysql, $engine, rights" => [
                $engine,
                'REVOKE INSERT, UPDATE, DELETE ON larder.* FROM larder',
                'GRANT ALL ON larder.* TO larder',
                'command denied',
            ];
        }
        yield 'mysql of the application, read-only' => [
            'pdo mysql',
            'SET GLOBAL read_only = 1',
            'SET GLOBAL read_only = 0',
            'read-only option',
        ];
        yield 'sqlite of the application' => [
            'pdo sqlite',
            'PRAGMA query_only = 1',
            'PRAGMA query_only = 0',
            'readonly database',
        ];
    }

    #[DataProvider('cases')]
    public function testRefusalOfAllWritesIsReported(
        string $store,
        string $refuse,
        string $repair,
        string $reason,
    ): void {
        ++self::$timeout;
        $namespace = 'refused' . bin2hex(random_bytes(4));
        $sqlite = new \PDO('sqlite::memory:');
        $open = static fn(string $onFailure, ?RecordingLogger $log = null): Cache => match ($store) {
            'pgsql' => Cache::open(
                \sprintf(
                    'pgsql://larder:%s@/larder?socket=%s&namespace=%s&timeout=%d&on_failure=%s',
                    self::postgreSql()->password,
                    self::postgreSql()->socket,
                    $namespace,
                    self::$timeout,
                    $onFailure,
                ),
                $log,
            ),
            'pdo pgsql'
                => Cache::over(self::pdo(self::postgreSql()), "namespace=$namespace&on_failure=$onFailure", $log),
            'pdo mysql'
                => Cache::over(self::pdo(Servers::mariaDb()), "namespace=$namespace&on_failure=$onFailure", $log),
            'pdo sqlite' => Cache::over($sqlite, "namespace=$namespace&on_failure=$onFailure", $log),
            default => Cache::open(
                \sprintf(
                    'mysql://larder:%s@/larder?socket=%s&engine=%s&namespace=%s&timeout=%d&on_failure=%s',
                    Servers::mariaDb()->password,
                    Servers::mariaDb()->socket,
                    $store,
                    $namespace,
                    self::$timeout,
                    $onFailure,
                ),
                $log,
            ),
        };
        $administer = static function (string $sql) use ($store, $sqlite): void {
            if ($store === 'pdo sqlite') {
                $sqlite->exec($sql);
            } elseif (str_contains($store, 'pgsql')) {
                self::pdo(self::postgreSql(), PostgreSqlServer::ADMINISTRATOR)->exec($sql);
                self::pdo(self::postgreSql(), PostgreSqlServer::ADMINISTRATOR)->exec('SELECT pg_reload_conf()');
                self::assertTrue(Servers::await(static function () use ($sql): bool {
                    $answer = self::pdo(self::postgreSql())->query('SHOW default_transaction_read_only');

                    return !str_contains($sql, 'SYSTEM')
                        || $answer !== false && $answer->fetchColumn() === (str_contains($sql, ' = on') ? 'on' : 'off');
                }));
            } else {
                (new \PDO(
                    'mysql:unix_socket=' . Servers::mariaDb()->socket,
                    posix_getpwuid(posix_geteuid())['name'] ?? '',
                ))->exec($sql);
            }
        };
        self::assertTrue($open('miss')->set('k', 'old', 60));
        $this->repair = static fn() => $administer($repair);
        $administer($refuse);

        $cache = $open('miss', $log = new RecordingLogger());
        foreach (RefusedRequestsTest::writes() as $name => $write) {
            self::assertContains($write($cache), [false, null], $name);
            self::assertSame('old', $cache->get('k'), "$name: reads are answered");
        }
        self::assertCount(1, $log->entries(), implode("\n", $log->entries()));
        self::assertStringContainsString('refuses requests: ', $log->entries()[0]);
        self::assertStringContainsString($reason, $log->entries()[0]);

        $throwing = $open('throw');
        foreach (RefusedRequestsTest::writes() as $name => $write) {
            $failure = self::assertThrows(StoreFailed::class, static fn(): mixed => $write($throwing), $reason);
            self::assertTrue($failure->isOfRequest, $name);
            self::assertSame('old', $throwing->get('k'));
        }
        self::assertThrows(StoreUnavailable::class, $cache->reach(...), $reason);
        self::assertThrows(StoreUnavailable::class, $open('miss')->reach(...), $reason);

        $administer($repair);
        $again = $store === 'pdo sqlite' || str_contains($reason, 'denied')
            ? $open('miss')
            : $cache; // MySQL checks rights when a client connects
        self::assertTrue($again->set('k', 'new', 60));
        self::assertSame('new', $again->get('k'));
        $again->reach();
        self::assertTrue($again->clear());
    }

    private static function postgreSql(): PostgreSqlServer
    {
        self::$memory ??= new TemporaryDirectory('/dev/shm'); // a disk may be busy for seconds

        return self::$postgreSql ??= PostgreSqlServer::start(self::$memory->path);
    }

    private static function pdo(PostgreSqlServer|MariaDbServer $server, string $user = 'larder'): \PDO
    {
        return $server instanceof PostgreSqlServer
            ? new \PDO(
                \sprintf('pgsql:host=%s;port=%d;dbname=larder', \dirname($server->socket), $server->port),
                $user,
                $server->password,
            )
            : new \PDO(\sprintf('mysql:unix_socket=%s;dbname=larder', $server->socket), $user, $server->password);
    }
}

<?php

declare(strict_types=1);

namespace Larder\Tests\Driver\Pdo;

use Larder\Cache;
use Larder\Cli\Server\PostgreSqlServer;
use Larder\Cli\System\TemporaryDirectory;
use PHPUnit\Framework\Attributes\TestWith;

final class PdoPostgreSqlTest extends PdoTestCase
{
    use LosesConnections;

    private static ?TemporaryDirectory $memory = null;
    private static ?PostgreSqlServer $server = null;

    public static function tearDownAfterClass(): void
    {
        self::$server?->stop();
        self::$server = self::$memory = null;
    }

    protected static function pdo(array $options = []): \PDO
    {
        self::$memory ??= new TemporaryDirectory('/dev/shm');
        self::$server ??= PostgreSqlServer::start(self::$memory->path);

        return new \PDO(
            \sprintf(
                'pgsql:host=%s;port=%d;dbname=%s',
                \dirname(self::$server->socket),
                self::$server->port,
                PostgreSqlServer::DATABASE,
            ),
            PostgreSqlServer::USER,
            self::$server->password,
            $options,
        );
    }

    protected static function breakOff(\PDO $pdo): void
    {
        $answer = $pdo->query('SELECT pg_backend_pid()');
        $id = $answer === false ? 0 : (int) $answer->fetchColumn();
        unset($answer); // otherwise its destructor would notice
        self::pdo()->exec("SELECT pg_terminate_backend($id, 30000)");
    }

    protected static function connections(): int
    {
        $rows = self::pdo()->query("SELECT COUNT(*) FROM pg_stat_activity WHERE usename = 'larder'");

        return ($rows === false ? 0 : (int) $rows->fetchColumn()) - 1;
    }

    /** An error would abort it, and a savepoint would not be the application's. */
    public function testTransactionOfTheApplicationIsNotAborted(): void
    {
        $pdo = self::pdo();
        $cache = Cache::over($pdo, 'namespace=abort');
        $pdo->exec('DROP TABLE IF EXISTS larder_cache');
        $pdo->beginTransaction();
        self::assertSame([null, false], [$cache->get('k'), $cache->set('k', 1)]);
        self::assertNotFalse($pdo->query('SELECT 1'));
        $pdo->commit();
        self::assertTrue($cache->set('k', 1) && $cache->clear());
    }

    /** Otherwise a delete() there could miss the value that a later get() here returns. */
    public function testSchemaOfTheFirstUseStays(): void
    {
        $pdo = self::pdo();
        $cache = Cache::over($pdo, 'namespace=schema');
        self::assertTrue($cache->set('k', 1));
        $pdo->exec('CREATE SCHEMA "the ""tenant"');
        $pdo->exec('SET search_path TO "the ""tenant"');
        $inTenant = Cache::over($pdo, 'namespace=schema');
        self::assertSame(
            [1, null, true, true],
            [$cache->get('k'), $inTenant->get('k'), $inTenant->set('k', 2), $cache->delete('k')],
        );
        $pdo->exec('SET search_path TO public');
        self::assertSame([null, 2], [$cache->get('k'), $inTenant->get('k')]);
        $pdo->exec('DROP SCHEMA "the ""tenant" CASCADE');
    }

    /** A server, database or user may have this default: of two changes of a row at once, one is then refused. */
    #[TestWith(['repeatable read'])]
    #[TestWith(['serializable'])]
    public function testStrictIsolationRefusesNoChange(string $isolation): void
    {
        $open = fn(): Cache => Cache::over(static function () use ($isolation): \PDO {
            $pdo = static::pdo();
            $pdo->exec("SET default_transaction_isolation = '$isolation'");

            return $pdo;
        }, "namespace=$this->namespace&on_failure=throw");
        self::assertTrue($open()->set('k', 'old'));
        $refused = $this->inProcesses(static function (Cache $own, int $process) use ($open): int {
            $cache = $open();
            $refused = 0;
            for ($n = 0; $n < 200; ++$n) {
                $refused += \is_int($cache->increment('count')) ? 0 : 1;
                $refused += $cache->set('k', "$process $n") && $cache->setMany(['k' => $n, 'l' => $n])
                    && $cache->get('k') !== null && $cache->delete('l')
                    ? 0
                    : 1;
            }

            return $refused;
        });
        self::assertSame([0, 0, 0, 0], $refused);
        self::assertSame(800, $open()->get('count'));
    }

    /** A connection pool does this between two of its users. */
    public function testStatementsThatTheApplicationRemovesArePreparedAgain(): void
    {
        $pdo = self::pdo();
        $cache = Cache::over($pdo, 'namespace=discard&on_failure=throw');
        self::assertTrue($cache->set('k', 1));
        self::assertSame(1, $cache->get('k'));
        $pdo->exec('DEALLOCATE ALL');
        self::assertSame([1, true], [$cache->get('k'), $cache->clear()]);
    }
}

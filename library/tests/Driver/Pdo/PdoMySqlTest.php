<?php

declare(strict_types=1);

namespace Larder\Tests\Driver\Pdo;

use Larder\Cache;
use Larder\Cli\Server\MariaDbServer;
use Larder\Drivers;
use Larder\Exception\StoreFailed;
use Larder\Internal\Driver\Pdo\BorrowedPdo;
use Larder\Internal\Driver\Sql\RemoteSqlStore;
use Larder\Tests\Driver\Current;
use Larder\Tests\RecordingLogger;
use Larder\Tests\Servers;
use PHPUnit\Framework\Attributes\TestWith;
use Psr\Log\NullLogger;

final class PdoMySqlTest extends PdoTestCase
{
    use LosesConnections;

    private const BUFFERED = \PHP_VERSION_ID < 80_400 ? \PDO::MYSQL_ATTR_USE_BUFFERED_QUERY : \Pdo\Mysql::ATTR_USE_BUFFERED_QUERY;

    protected static function pdo(array $options = []): \PDO
    {
        $server = Servers::mariaDb();

        return new \PDO(
            \sprintf('mysql:unix_socket=%s;dbname=%s;charset=utf8mb4', $server->socket, MariaDbServer::DATABASE),
            MariaDbServer::USER,
            $server->password,
            $options,
        );
    }

    protected static function breakOff(\PDO $pdo): void
    {
        $answer = $pdo->query('SELECT CONNECTION_ID()');
        $id = $answer === false ? 0 : (int) $answer->fetchColumn();
        self::pdo()->exec("KILL $id");
    }

    protected static function connections(): int
    {
        $rows = self::pdo()->query('SELECT COUNT(*) FROM information_schema.processlist WHERE user = "larder"');

        return ($rows === false ? 0 : (int) $rows->fetchColumn()) - 1;
    }

    protected function tooLarge(): string
    {
        return random_bytes(2 << 20);
    }

    public function testWithoutAutocommitNothingIsDone(): void
    {
        $cache = Cache::over(self::pdo([\PDO::ATTR_AUTOCOMMIT => false]), 'namespace=autocommit');
        self::assertSame([false, null], [$cache->set('k', 1), $cache->get('k')]);
        $pdo = self::pdo();
        $pdo->exec('SET autocommit = 0');
        $cache = Cache::over($pdo, 'namespace=autocommit');
        self::assertSame([false, false], [$cache->set('k', 1), $pdo->inTransaction()]);
    }

    public function testUnreadResultOfTheApplicationStays(): void
    {
        $pdo = self::pdo([self::BUFFERED => false]);
        $cache = Cache::over($pdo, 'namespace=unread');
        self::assertTrue($cache->set('k', 1));
        $rows = $pdo->query('SELECT 1 UNION SELECT 2');
        self::assertNotFalse($rows);
        self::assertSame([null, false], [$cache->get('k'), $cache->set('k', 2)]);
        self::assertEquals([1, 2], $rows->fetchAll(\PDO::FETCH_COLUMN));
        self::assertSame(1, $cache->get('k'));
        self::assertTrue($cache->clear());
    }

    /** Its connection is not used during that time, and must not be lost. */
    #[TestWith([\PDO::ERRMODE_EXCEPTION])]
    #[TestWith([\PDO::ERRMODE_SILENT])]
    public function testClosureIsNotCalledAgainWhileTheApplicationReadsAResult(int $mode): void
    {
        $current = new Current($first = self::pdo([\PDO::ATTR_ERRMODE => $mode, self::BUFFERED => false]));
        $log = new RecordingLogger();
        $cache = Cache::over(static fn(): \PDO => self::pdoOf($current), 'namespace=unread', $log);
        self::assertTrue($cache->set('k', 1));
        $current->client = self::pdo();
        $first->beginTransaction();
        $rows = $first->query('SELECT 1 UNION SELECT 2');
        self::assertNotFalse($rows);
        self::assertSame([null, false], [$cache->get('k'), $cache->set('k', 2)]);
        self::assertEquals([1, 2], $rows->fetchAll(\PDO::FETCH_COLUMN));
        self::assertTrue($first->commit());
        self::assertSame([1, 1, []], [$cache->get('k'), $current->calls, $log->entries()]);

        $current->client = $first;
        $atFirstUse = Cache::over(static fn(): \PDO => self::pdoOf($current), 'namespace=unread', $log);
        $rows = $first->query('SELECT 1 UNION SELECT 2');
        self::assertNotFalse($rows);
        self::assertSame([null, false], [$atFirstUse->get('k'), $atFirstUse->set('k', 2)]);
        $current->client = self::pdo();
        self::assertSame([null, false], [$atFirstUse->get('k'), $atFirstUse->set('k', 2)]);
        self::assertEquals([1, 2], $rows->fetchAll(\PDO::FETCH_COLUMN));
        self::assertSame([1, 2, []], [$atFirstUse->get('k'), $current->calls, $log->entries()]);
        self::assertTrue($cache->clear());
    }

    /** The server would close the connection. */
    public function testTooLongStatementIsNotSent(): void
    {
        $pdo = self::pdo();
        $cache = Cache::over($pdo, 'namespace=long');
        self::assertTrue($cache->set('k', 'old'));
        self::assertFalse($cache->set('k', $this->tooLarge()));
        self::assertFalse($cache->has('k'));
        self::assertFalse($cache->add('k', $this->tooLarge()));
        self::assertNotFalse($pdo->query('SELECT 1'));
    }

    /** Otherwise a delete() there could miss the value that a later get() here returns. */
    public function testDatabaseOfTheFirstUseStays(): void
    {
        $pdo = self::pdo();
        $cache = Cache::over($pdo, 'namespace=elsewhere&on_failure=throw');
        self::assertTrue($cache->set('k', 1));
        $pdo->exec('USE information_schema');
        self::assertSame([1, true, null], [$cache->get('k'), $cache->delete('k'), $cache->get('k')]);
        self::assertTrue($cache->clear());
    }

    public function testLockedTablesOfTheApplicationAreNoOutage(): void
    {
        $pdo = self::pdo();
        $log = new RecordingLogger();
        $cache = Cache::over($pdo, 'namespace=locked', $log);
        self::assertTrue($cache->set('k', 1));
        $pdo->exec('CREATE TABLE IF NOT EXISTS locked (v INTEGER)');
        $pdo->exec('LOCK TABLES locked WRITE');
        self::assertSame([null, false, false], [$cache->get('k'), $cache->set('k', 2), $cache->delete('k')]);
        $pdo->exec('UNLOCK TABLES');
        self::assertSame([1, []], [$cache->get('k'), $log->entries()]);
        self::assertTrue($cache->clear());
    }

    /** A value could contain SQL, which the server would execute. */
    public function testCharacterSetUnknownToPdoIsRefused(): void
    {
        $pdo = self::pdo([\PDO::ATTR_EMULATE_PREPARES => true]);
        $pdo->exec('SET NAMES gbk');
        $pdo->exec('CREATE TEMPORARY TABLE control (v BLOB, w INTEGER)');
        $statement = $pdo->prepare('INSERT INTO control VALUES (?, 1)');
        self::assertNotFalse($statement);
        $statement->execute(["\xBF', 2) -- "]);
        $control = $pdo->query('SELECT w FROM control');
        self::assertNotFalse($control);
        self::assertEquals(2, $control->fetchColumn(), 'the control: PDO quotes wrongly');
        $cache = Cache::over($pdo, 'namespace=charset&on_failure=throw', new NullLogger());
        self::assertThrows(StoreFailed::class, static fn() => $cache->set('k', "\xBF', 0, 'v') -- "), 'charset=gbk');
        $server = Servers::mariaDb();
        $pdo = new \PDO(
            \sprintf('mysql:unix_socket=%s;dbname=%s;charset=gbk', $server->socket, MariaDbServer::DATABASE),
            MariaDbServer::USER,
            $server->password,
        );
        $cache = Cache::over($pdo, 'namespace=charset&on_failure=throw');
        self::assertTrue($cache->set('k', "\xBF', 0, 'v') -- "));
        self::assertSame("\xBF', 0, 'v') -- ", $cache->get('k'));
        self::assertTrue($cache->clear());
    }

    /** MariaDB before 10.5.26, and proxies. */
    public function testServerThatHasNoIdIsToldByItsAddress(): void
    {
        $server = MariaDbServer::start(
            Servers::directory('mariadb-no-id'),
            ['--version=8.0.36'],
        ); // it looks like MySQL, so it is asked for MySQL's id
        $names = [];
        foreach ([
            "unix_socket=$server->socket",
            "host=127.0.0.1;port=$server->port",
            "host=127.0.0.1;port=$server->port",
        ] as $where) {
            $pdo = new \PDO("mysql:$where;dbname=" . MariaDbServer::DATABASE, MariaDbServer::USER, $server->password);
            $store = new RemoteSqlStore(new BorrowedPdo(Drivers::hold($pdo)));
            self::assertTrue($store->set('k', 1));
            $names[] = $store->server();
        }
        $server->stop();
        self::assertSame($names[1], $names[2]);
        self::assertNotSame($names[0], $names[1]);
    }

    /** A hundred forks connect while the server gets no processor: a socket with a full queue refuses. */
    public function testServerOfTheTestsLetsAStampedeWait(): void
    {
        $server = Servers::mariaDb();
        $file = self::pdo()->query('SELECT @@pid_file');
        self::assertNotFalse($file);
        $path = $file->fetchColumn();
        self::assertIsString($path);
        $process = (int) file_get_contents($path);
        self::assertGreaterThan(1, $process);
        Servers::freeze($process);
        $waiting = [];

        try {
            for ($n = 0; $n < 120; ++$n) {
                $waiting[] = @stream_socket_client('unix://' . $server->socket, timeout: 5);
            }
        } finally {
            posix_kill($process, \SIGCONT);
        }
        self::assertNotContains(false, $waiting);
    }
}

<?php

declare(strict_types=1);

namespace Larder\Tests\Driver\Pdo;

use Larder\Cache;
use Larder\Cli\Server\MariaDbServer;
use Larder\Tests\Servers;

final class PdoMySqlTest extends PdoTestCase
{
    protected static function pdo(array $options = []): \PDO
    {
        $server = Servers::mariaDb();

        return new \PDO(\sprintf('mysql:unix_socket=%s;dbname=%s;charset=utf8mb4', $server->socket, MariaDbServer::DATABASE), MariaDbServer::USER, $server->password, $options);
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
        $pdo = self::pdo([\PDO::MYSQL_ATTR_USE_BUFFERED_QUERY => false]);
        $cache = Cache::over($pdo, 'namespace=unread');
        self::assertTrue($cache->set('k', 1));
        $rows = $pdo->query('SELECT 1 UNION SELECT 2');
        self::assertNotFalse($rows);
        self::assertSame([null, false], [$cache->get('k'), $cache->set('k', 2)]);
        self::assertEquals([1, 2], $rows->fetchAll(\PDO::FETCH_COLUMN));
        self::assertSame(1, $cache->get('k'));
        self::assertTrue($cache->clear());
    }

    /** The server would close the connection on it. */
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
}

<?php

declare(strict_types=1);

namespace Larder\Tests\Driver\Pdo;

use Larder\Cache;
use Larder\Cli\System\TemporaryDirectory;

final class PdoSqliteTest extends PdoTestCase
{
    private static ?TemporaryDirectory $memory = null;

    public static function tearDownAfterClass(): void
    {
        self::$memory = null;
    }

    protected static function pdo(array $options = []): \PDO
    {
        self::$memory ??= new TemporaryDirectory('/dev/shm');

        $pdo = new \PDO(\sprintf('sqlite:%s/application.sqlite', self::$memory->path), null, null, $options);
        $pdo->exec('PRAGMA journal_mode = WAL');

        return $pdo;
    }

    protected static function connections(): ?int
    {
        return null;
    }

    public function testLastInsertIdIsTheApplications(): void
    {
        $pdo = self::pdo();
        $cache = Cache::over($pdo, 'namespace=last');
        self::assertTrue($cache->setMany(['a' => 1, 'b' => 2, 'c' => 3]));
        $pdo->exec('CREATE TEMPORARY TABLE orders (id INTEGER PRIMARY KEY, v INTEGER)');
        $pdo->exec('INSERT INTO orders VALUES (77, 1)');
        self::assertTrue($cache->set('d', 4) && $cache->increment('n') === 1 && $cache->delete('a'));
        self::assertSame('77', $pdo->lastInsertId());
        self::assertTrue($cache->clear());
    }
}

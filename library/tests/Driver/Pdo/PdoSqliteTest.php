<?php

declare(strict_types=1);

namespace Larder\Tests\Driver\Pdo;

use Larder\Cli\TemporaryDirectory;

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
}

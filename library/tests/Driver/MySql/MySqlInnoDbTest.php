<?php

declare(strict_types=1);

namespace Larder\Tests\Driver\MySql;

use Larder\Cache;
use Larder\Cli\Server\MariaDbServer;
use Larder\Drivers;
use Larder\Internal\Driver\MySql\MySqlDriver;
use Larder\Testing\Fork;
use Larder\Tests\Servers;
use PDO;
use PDOException;

final class MySqlInnoDbTest extends MySqlTestCase
{
    use RemovesExpiredRows;

    protected static function engine(): string
    {
        return 'innodb';
    }

    protected function tooLarge(): string
    {
        return random_bytes(3 << 20);
    }

    public function testNameOfADatabaseIsNoSettingOfTheConnection(): void
    {
        $server = Servers::mariaDb();
        foreach (['t;port=1', 't;host=nowhere.invalid', 't;;', ';dbname=larder'] as $database) {
            $administrator = self::administrator();
            $administrator->exec("CREATE DATABASE `$database`");
            $administrator->exec(\sprintf("GRANT ALL ON `%s`.* TO %s@'%%'", $database, MariaDbServer::USER));

            try {
                $dsn = Servers::patiently(\sprintf(
                    'mysql://%s:%s@127.0.0.1:%d/%s?on_failure=throw&namespace=named',
                    MariaDbServer::USER,
                    $server->password,
                    $server->port,
                    rawurlencode($database),
                ));
                self::assertTrue(Cache::open($dsn)->set('k', 'value'));
                $tables = $administrator->query("SHOW TABLES IN `$database`");
                self::assertSame(
                    ['larder_named_innodb'],
                    $tables === false ? [] : $tables->fetchAll(PDO::FETCH_COLUMN),
                );
                (new MySqlDriver())->erase(Drivers::parse($dsn));
                $tables = $administrator->query("SHOW TABLES IN `$database`");
                self::assertSame([], $tables === false ? ['?'] : $tables->fetchAll(PDO::FETCH_COLUMN));
            } finally {
                $administrator->exec("DROP DATABASE `$database`");
            }
        }
    }

    /** Tests each engine on one server, because a start takes seconds. */
    public function testStoppedServerGivesMisses(): void
    {
        $server = MariaDbServer::start(Servers::directory('mariadb-gone'));
        $caches = array_map(
            static fn(string $engine): Cache => Cache::open(Servers::patiently(self::address($server, $engine))),
            ['innodb', 'myisam', 'memory'],
        );
        foreach ($caches as $cache) {
            self::assertTrue($cache->set('k', 'value'));
        }
        $server->stop();
        array_walk($caches, static function (Cache $cache): void {
            self::assertGivesOnlyMisses($cache);
        });
    }

    public function testIpVersion6ConnectionWorks(): void
    {
        if (!str_contains((string) @file_get_contents('/proc/net/if_inet6'), ' lo')) {
            self::markTestSkipped('This machine has no address ::1');
        }
        $server = MariaDbServer::start(Servers::directory('mariadb-6'), ['--bind-address=::1']);
        try {
            $cache = Cache::open(Servers::patiently(\sprintf(
                'mysql://%s:%s@[::1]:%d/%s',
                MariaDbServer::USER,
                $server->password,
                $server->port,
                MariaDbServer::DATABASE,
            )));
            self::assertTrue($cache->set('k', 'value'));
            self::assertSame('value', $cache->get('k'));
        } finally {
            $server->stop();
        }
    }

    /** Happens if all workers at once connect to a server that was just started, or is delayed by a busy machine. */
    public function testFullSocketBacklogIsNotAnOutage(): void
    {
        $directory = Servers::directory('mariadb-queue');
        $pid = $directory . '/mariadb.pid';
        $server = MariaDbServer::start($directory, ['--back-log=1', '--pid-file=' . $pid]);
        $process = (int) file_get_contents($pid);
        try {
            Servers::freeze($process);
            $queue = [];
            do {
                $queue[] = $waiting = @stream_socket_client('unix://' . $server->socket, $code, $message, 0.2);
            } while ($waiting !== false);
            $address = \sprintf('mysql:unix_socket=%s;dbname=%s', $server->socket, MariaDbServer::DATABASE);
            $control = null;

            try {
                new PDO($address, MariaDbServer::USER, $server->password, [PDO::ATTR_TIMEOUT => 20]);
            } catch (PDOException $refusal) {
                $control = $refusal->getMessage();
            }
            self::assertSame(
                'SQLSTATE[HY000] [2002] Resource temporarily unavailable',
                $control,
                'the control: PDO alone',
            );
            $continuing = Fork::start(static function () use ($process): bool {
                usleep(300_000);

                return posix_kill($process, \SIGCONT);
            });
            $cache = Cache::open(\sprintf(
                'mysql://%s:%s@/%s?socket=%s&timeout=20',
                MariaDbServer::USER,
                $server->password,
                MariaDbServer::DATABASE,
                $server->socket,
            ));
            self::assertTrue($cache->set('k', 'value'));
            self::assertSame('value', $cache->get('k'));
            self::assertTrue($continuing->result());
            self::assertGreaterThan(1, \count($queue));
        } finally {
            posix_kill($process, \SIGCONT);
            $server->stop();
        }
    }
}

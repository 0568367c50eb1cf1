<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Command;

use Larder\Cache;
use Larder\Cli\Command\StampedeCommand;
use Larder\Cli\Server\MariaDbServer;
use Larder\Cli\Server\RedisServer;
use Larder\Cli\Stampede\End;
use Larder\Cli\Stampede\Row;
use Larder\Cli\System\TemporaryDirectory;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Console\Exception\InvalidArgumentException;
use Symfony\Component\Console\Tester\CommandTester;

final class StampedeCommandTest extends TestCase
{
    public function testComputationsAreCountedAndMissingStoresReported(): void
    {
        $directory = new TemporaryDirectory();
        $command = new CommandTester(new StampedeCommand());
        $file = 'file://' . $directory->path;
        self::assertSame(
            1,
            $command->execute(['dsn' => [$file, 'file:///proc/nowhere'], '--processes' => '5', '--compute' => '20']),
        );
        $directory->remove();
        self::assertMatchesRegularExpression(
            '~^' . preg_quote($file, '~') . ' +1 +\d+ ms +2 +\d+ ms$~m',
            $command->getDisplay(),
        );
        self::assertMatchesRegularExpression(
            '~^file:///proc/nowhere +not measured: file: the directory /proc/nowhere/stampede-\w+ cannot be made~m',
            $command->getDisplay(),
        );
    }

    /** The control: without a store, every process computes. */
    public function testWithoutAStoreEveryProcessComputes(): void
    {
        $command = new CommandTester(new StampedeCommand());
        self::assertSame(0, $command->execute(['dsn' => ['none:'], '--processes' => '5', '--compute' => '1']));
        self::assertMatchesRegularExpression('~^none: +5 +\d+ ms +6 +\d+ ms$~m', $command->getDisplay());
    }

    public function testExistingEntriesAreNotTouched(): void
    {
        $directory = new TemporaryDirectory();
        $redis = RedisServer::start($directory->add('redis'));
        $mariaDb = MariaDbServer::start($directory->add('mariadb'));
        $mySql = \sprintf(
            'mysql://%s:%s@/%s?socket=%s',
            MariaDbServer::USER,
            $mariaDb->password,
            MariaDbServer::DATABASE,
            $mariaDb->socket,
        );
        $dsns = [
            'file://' . $directory->add('files'),
            'php-file://' . $directory->add('php-files') . '?namespace=shop',
            \sprintf('sqlite://%s/cache.sqlite', $directory->path),
            'redis://' . $redis->socket,
            $mySql,
            $mySql . '&engine=memory&namespace=shop',
            \sprintf('tier:(file://%s)(redis://%s?namespace=behind)?poll=0', $directory->add('local'), $redis->socket),
        ];
        foreach ($dsns as $dsn) {
            Cache::open($dsn)->set('stampede', 'of the application', 600);
        }
        $client = new \Redis();
        $client->connect($redis->socket);
        $database = new \PDO(
            \sprintf('mysql:unix_socket=%s;dbname=%s', $mariaDb->socket, MariaDbServer::DATABASE),
            MariaDbServer::USER,
            $mariaDb->password,
        );
        $there = static function () use ($client, $database, $directory): array {
            $tables = $database->query('SHOW TABLES');
            self::assertInstanceOf(\PDOStatement::class, $tables);

            return [
                $client->keys('*'),
                $tables->fetchAll(),
                array_map(
                    static fn(string $name): array|false => scandir("$directory->path/$name"),
                    ['files', 'php-files', 'local'],
                ),
            ];
        };
        $before = $there();

        $command = new CommandTester(new StampedeCommand());
        $code = $command->execute(['dsn' => $dsns, '--processes' => '3', '--compute' => '5']);

        self::assertSame(0, $code, $command->getDisplay());
        self::assertStringNotContainsString($mariaDb->password, $command->getDisplay());
        foreach ($dsns as $dsn) {
            self::assertSame('of the application', Cache::open($dsn)->get('stampede'), $dsn);
        }
        $after = $there();
        self::assertEqualsCanonicalizing($before[0], $after[0]);
        self::assertSame($before[1], $after[1]);
        self::assertSame($before[2], $after[2]);
        $redis->stop();
        $mariaDb->stop();
    }

    public function testStoreThatStoresNothingFails(): void
    {
        $directory = new TemporaryDirectory();
        $redis = RedisServer::start($directory->path, ['--maxmemory', '1', '--maxmemory-policy', 'noeviction']);
        $command = new CommandTester(new StampedeCommand());
        $code = $command->execute(['dsn' => ['redis://' . $redis->socket], '--processes' => '2']);
        $redis->stop();
        self::assertSame(1, $code, $command->getDisplay());
        self::assertStringContainsString('failed: it can be opened, but stores nothing', $command->getDisplay());
    }

    public function testDeadProcessAndUnexpectedOutputFail(): void
    {
        self::assertSame(End::Failed, Row::of('', 'Fatal error: Class not found', false)->end);
        self::assertSame(
            'failed: Fatal error: Class not found',
            Row::of('', 'Fatal error: Class not found', false)->text,
        );
        self::assertSame('failed: the measuring process died', Row::of('', '', true)->text);
        self::assertSame(End::Failed, Row::of('{"cold":{"computations":1,"last":null}}', '', true)->end);
        self::assertSame('failed: why', Row::of('{"failed":"why"}', '', true)->text);
        self::assertSame(
            End::Measured,
            Row::of('{"cold":{"computations":1,"last":0.5},"killed":{"computations":2,"last":0.0}}', '', true)->end,
        );
    }

    public function testInvalidDsnIsRefusedBeforeMeasuring(): void
    {
        $command = new CommandTester(new StampedeCommand());
        self::assertSame(2, $command->execute(['dsn' => ['array:', 'nothing:']]));
        self::assertStringContainsString('The scheme of the DSN is not known', $command->getDisplay());
        self::assertStringNotContainsString('computations', $command->getDisplay());
    }

    public function testInvalidNumbersAreRefused(): void
    {
        $this->expectException(InvalidArgumentException::class);
        (new CommandTester(new StampedeCommand()))->execute(['--processes' => 'many']);
    }
}

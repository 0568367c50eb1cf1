<?php

declare(strict_types=1);

namespace Larder\Tests\Driver\Memcached;

use Larder\Cache;
use Larder\Cli\Server\MemcachedServer;
use Larder\Exception\StoreUnavailable;
use Larder\Testing\AssertsThrows;
use Larder\Tests\RecordingLogger;
use Larder\Tests\Servers;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

/** Tests the login of the text protocol with a real server: memcached -Y. */
final class MemcachedLoginTest extends TestCase
{
    use AssertsThrows;

    private static MemcachedServer $server;

    public static function setUpBeforeClass(): void
    {
        $file = Servers::directory('memcached-login') . '/users';
        file_put_contents($file, "shop:pzqxw/1\nother:pzqxw/2\n");
        self::$server = MemcachedServer::start(\dirname($file), ['-Y', $file]);
    }

    public static function tearDownAfterClass(): void
    {
        self::$server->stop();
    }

    /** @return iterable<string, array{string}> */
    public static function schemes(): iterable
    {
        yield 'memcached' => ['memcached'];
        yield 'memcache' => ['memcache'];
    }

    #[DataProvider('schemes')]
    public function testUserIsLoggedIn(string $scheme): void
    {
        $file = Servers::directory('memcached-login') . '/password';
        file_put_contents($file, "pzqxw/2\n");
        $i = 0;
        foreach ([self::$server->socket, '127.0.0.1:' . self::$server->port] as $where) {
            foreach ([
                "shop:pzqxw%2F1@$where?persistent=0",
                "other@$where?password_file=$file",
                "shop:pzqxw%2F1@$where?persistent=1",
                "shop:pzqxw%2F1@$where?persistent=1",
            ] as $dsn) {
                $log = new RecordingLogger();
                $cache = Cache::open("$scheme://$dsn&namespace=login", $log);
                $cache->reach();
                self::assertTrue($cache->set('k', $i) && $cache->add("$scheme $i", 1) && $cache->get('k') === $i++);
                self::assertSame([], $log->entries());
                unset($cache);
            }
        }
    }

    #[DataProvider('schemes')]
    public function testWrongLoginIsRefused(string $scheme): void
    {
        $where = '127.0.0.1:' . self::$server->port;
        foreach ([
            'shop:pzqxw@' => 'refuses the user name or the password',
            'pzqxw@' => 'refuses the user name or the password',
            'shop:pz%20qxw@' => 'without spaces?',
            '' => 'unauthenticated',
        ] as $login => $message) {
            $refused = self::assertThrows(
                StoreUnavailable::class,
                Cache::open("$scheme://$login$where")->reach(...),
                $message,
            );
            self::assertStringNotContainsString('qxw', (string) $refused);
            $log = new RecordingLogger();
            $cache = Cache::open("$scheme://$login$where", $log);
            self::assertSame(['miss', 'miss'], [$cache->get('k', 'miss'), $cache->get('k', 'miss')]);
            self::assertStringContainsString($message, $log->entries()[0]);
            self::assertStringNotContainsString('qxw', $log->entries()[0]);
        }
    }

    /** Such a server would store the password as an item. */
    #[DataProvider('schemes')]
    public function testServerThatAsksForNoLoginIsNotToldThePassword(string $scheme): void
    {
        $server = MemcachedServer::start(Servers::directory("memcached-open-$scheme"));
        self::assertThrows(
            StoreUnavailable::class,
            Cache::open("$scheme://shop:pzqxw@127.0.0.1:$server->port")->reach(...),
            'asks for no user and no password. Take them out of the DSN, or start memcached with -Y',
        );
        $stream = stream_socket_client('tcp://127.0.0.1:' . $server->port);
        self::assertNotFalse($stream);
        fwrite($stream, "stats\r\nquit\r\n");
        $said = (string) stream_get_contents($stream);
        self::assertStringContainsString("STAT cmd_set 0\r\n", $said);
        $server->stop();
    }
}

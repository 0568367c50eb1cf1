<?php

declare(strict_types=1);

namespace Larder\Tests\Decorator\Tier\Listener;

use Larder\Cli\Server\RedisServer;
use Larder\Dsn\Endpoint;
use Larder\Internal\Decorator\Tier\Listener\Connection;
use Larder\Internal\Driver\Redis\Wire\ServerGone;
use Larder\Internal\Server\Credentials;
use Larder\Internal\Server\Tls;
use Larder\Server\ConnectionSettings;
use Larder\Testing\AssertsThrows;
use Larder\Tests\Server\Certificates;
use Larder\Tests\Servers;
use PHPUnit\Framework\TestCase;

final class ConnectionTest extends TestCase
{
    use AssertsThrows;

    public function testChangesAreHeardOverTlsByAUserWithTheDocumentedRights(): void
    {
        $page = (string) file_get_contents(\dirname(__DIR__, 5) . '/docs/stores.md');
        self::assertSame(1, preg_match('/`larder listen` needs ([A-Z|]+) and ([A-Z|]+)/', $page, $rights));
        $ca = new Certificates(Servers::directory('listener'));
        [$cert, $key] = $ca->issue();
        $server = RedisServer::start(
            Servers::directory('listener'),
            [
                '--tls-cert-file', $cert, '--tls-key-file', $key, '--tls-ca-cert-file', $ca->ca, '--tls-auth-clients',
                'no',
            ],
            isTls: true,
        );
        $admin = new \Redis();
        $admin->connect($server->socket);
        $admin->rawcommand('ACL', 'SETUSER', 'listener', 'on', '>pzqxw', '+' . $rights[1], '+' . $rights[2]);
        $open = static fn(string $user, Tls $tls): Connection => Connection::open(
            new ConnectionSettings(
                Endpoint::tcp('127.0.0.1', $server->port),
                30.0,
                30.0,
                credentials: new Credentials($user, 'pzqxw'),
                tls: $tls,
            ),
            'larder-cache:shop:',
            ['PING'],
        );
        $connection = $open('listener', new Tls($ca->ca));
        for ($i = 0; $i < 500; ++$i) {
            $admin->set("larder-cache:shop:$i", '1'); // more than a record of TLS holds
        }
        $heard = [];
        for ($end = microtime(true) + 30; \count($heard) < 500 && microtime(true) < $end;) {
            $ready = [$connection->socket()];
            $none = null;
            if (stream_select($ready, $none, $none, 1) > 0) {
                foreach ($connection->changes() as $changed) {
                    $heard = [...$heard, ...(\is_array($changed) ? $changed : ['all'])];
                }
            }
        }
        self::assertCount(500, $heard);

        $admin->rawcommand('ACL', 'SETUSER', 'deaf', 'on', '>pzqxw', '+' . $rights[1]);
        self::assertThrows(
            ServerGone::class,
            static fn(): Connection => $open('deaf', new Tls($ca->ca)),
            'refuses CLIENT',
        );
        $gone = self::assertThrows(
            ServerGone::class,
            static fn(): Connection => $open('listener', new Tls()),
            'is signed by Private CA, which is not trusted here',
        );
        self::assertStringNotContainsString('pzqxw', (string) $gone);
        $server->stop();
    }
}

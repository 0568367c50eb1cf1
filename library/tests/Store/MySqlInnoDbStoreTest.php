<?php

declare(strict_types=1);

namespace Larder\Tests\Store;

use Larder\Cache;
use Larder\Tests\Servers;
use Larder\Tool\Server\MariaDbServer;

final class MySqlInnoDbStoreTest extends MySqlContract
{
    use CollectsInMySql;

    protected function engine(): string
    {
        return 'innodb';
    }

    protected function tooLarge(): string
    {
        return random_bytes(3 << 20);
    }

    public function testAServerIsReachedByIpVersion6(): void
    {
        if (!str_contains((string) @file_get_contents('/proc/net/if_inet6'), ' lo')) {
            self::markTestSkipped('This machine has no address ::1');
        }
        $server = MariaDbServer::start(Servers::directory('mariadb-6'), ['--bind-address=::1']);
        try {
            $cache = Cache::open(\sprintf('mysql://%s:%s@[::1]:%d/%s', MariaDbServer::USER, $server->password, $server->port, MariaDbServer::DATABASE));
            self::assertTrue($cache->set('k', 'value'));
            self::assertSame('value', $cache->get('k'));
        } finally {
            $server->stop();
        }
    }
}

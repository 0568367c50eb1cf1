<?php

declare(strict_types=1);

namespace Larder\Tests\Store;

use Larder\Cache;
use Larder\Store\Store;
use Larder\Testing\StoreContract;
use Larder\Tests\Servers;
use Larder\Tool\Server\MariaDbServer;

final class MySqlInnoDbStoreTest extends StoreContract
{
    protected function open(string $namespace): Store
    {
        return Cache::open(\sprintf('mysql://%s:%s@127.0.0.1:%d/%s?engine=innodb&namespace=%s', MariaDbServer::USER, Servers::mariaDb()->password, Servers::mariaDb()->port, MariaDbServer::DATABASE, $namespace))->store();
    }

    protected function tooLarge(): string
    {
        return random_bytes(3 << 20);
    }
}

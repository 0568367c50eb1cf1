<?php

declare(strict_types=1);

namespace Larder\Tests\Store;

use Larder\Cache;
use Larder\Store\Store;
use Larder\Testing\StoreContract;
use Larder\Tests\Servers;

final class SqliteStoreTest extends StoreContract
{
    protected function open(string $namespace): Store
    {
        return Cache::open(\sprintf('sqlite://%s/cache.sqlite?namespace=%s', Servers::directory('sqlite'), $namespace))->store();
    }
}

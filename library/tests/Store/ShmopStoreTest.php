<?php

declare(strict_types=1);

namespace Larder\Tests\Store;

use Larder\Cache;
use Larder\Store\Store;
use Larder\Testing\StoreContract;

final class ShmopStoreTest extends StoreContract
{
    protected function open(string $namespace): Store
    {
        return Cache::open('shmop:?namespace=' . $namespace)->store();
    }
}

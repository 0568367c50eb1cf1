<?php

declare(strict_types=1);

namespace Larder\Tests\Store;

use Larder\Cache;
use Larder\Store\Store;
use Larder\Testing\StoreContract;
use Larder\Tests\Servers;

final class FileStoreTest extends StoreContract
{
    protected function open(string $namespace): Store
    {
        return Cache::open(\sprintf('file://%s?namespace=%s', Servers::directory('files'), $namespace))->store();
    }
}

<?php

declare(strict_types=1);

namespace Larder\Tests\Store;

use Larder\Cache;
use Larder\Store\Store;
use Larder\Testing\StoreContract;
use Larder\Tests\Servers;

final class PhpFileStoreTest extends StoreContract
{
    protected function open(string $namespace): Store
    {
        return Cache::open(\sprintf('php-file://%s?namespace=%s', Servers::directory('php-files'), $namespace))->store();
    }
}

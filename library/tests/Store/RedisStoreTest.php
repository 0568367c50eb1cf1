<?php

declare(strict_types=1);

namespace Larder\Tests\Store;

use Larder\Cache;
use Larder\Store\Store;
use Larder\Testing\StoreContract;
use Larder\Tests\Servers;

final class RedisStoreTest extends StoreContract
{
    protected function open(string $namespace): Store
    {
        return Cache::open(\sprintf('redis://%s?namespace=%s', Servers::redis()->socket, $namespace))->store();
    }

    protected function tooLarge(): string
    {
        return random_bytes(2 << 20);
    }
}

<?php

declare(strict_types=1);

namespace Larder\Tests\Store;

use Larder\Cache;
use Larder\Store\Store;
use Larder\Testing\StoreContract;

final class YacStoreTest extends StoreContract
{
    protected function open(string $namespace): Store
    {
        return Cache::open('yac:?namespace=' . $namespace)->store();
    }

    protected function tooLarge(): string
    {
        return random_bytes(2 << 20);
    }
}

<?php

declare(strict_types=1);

namespace Larder\Tests\Store;

use Larder\Cache;
use Larder\Store\Store;
use Larder\Testing\StoreContract;

final class ApcuStoreTest extends StoreContract
{
    protected function open(string $namespace): Store
    {
        return Cache::open('apcu:?namespace=' . $namespace)->store();
    }

    protected function tooLarge(): string
    {
        return random_bytes(40 << 20);
    }
}

<?php

declare(strict_types=1);

namespace Larder\Tests\Store;

use Larder\Cache;
use Larder\Contract\Store;
use Larder\Testing\StoreContract;

final class NullStoreTest extends StoreContract
{
    protected function open(string $namespace): Store
    {
        return Cache::open('none:')->store();
    }

    protected function keeps(): bool
    {
        return false;
    }
}

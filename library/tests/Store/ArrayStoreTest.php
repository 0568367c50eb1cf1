<?php

declare(strict_types=1);

namespace Larder\Tests\Store;

use Larder\Cache;
use Larder\Contract\Store;
use Larder\Testing\StoreContract;

final class ArrayStoreTest extends StoreContract
{
    protected function open(string $namespace): Store
    {
        return Cache::open('array:')->store();
    }

    protected function isOnlyInItsObject(): bool
    {
        return true;
    }
}

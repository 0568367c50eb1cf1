<?php

declare(strict_types=1);

namespace Larder\Tests\Tier;

use Larder\Contract\Store;
use Larder\Testing\StoreContract;

final class LarderMemcachedStoreTest extends StoreContract
{
    protected function open(string $namespace): Store
    {
        return Tiers::LarderMemcached->open($namespace);
    }

    protected function clearDelay(): float
    {
        return 0.06; // memcached's own
    }

    protected function tooLarge(): string
    {
        return random_bytes(2 << 20);
    }
}

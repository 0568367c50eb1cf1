<?php

declare(strict_types=1);

namespace Larder\Tests\Tier;

use Larder\Contract\Store;
use Larder\Testing\StoreContract;

final class ArrayRedisStoreTest extends StoreContract
{
    protected function open(string $namespace): Store
    {
        return Tiers::ArrayRedis->open($namespace);
    }

    protected function changeDelay(): float
    {
        return Tiers::ArrayRedis->delay();
    }

    protected function tooLarge(): string
    {
        return random_bytes(2 << 20);
    }
}

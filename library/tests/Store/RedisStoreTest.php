<?php

declare(strict_types=1);

namespace Larder\Tests\Store;

final class RedisStoreTest extends RedisContract
{
    protected function client(): string
    {
        return 'phpredis';
    }
}

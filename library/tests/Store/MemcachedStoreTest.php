<?php

declare(strict_types=1);

namespace Larder\Tests\Store;

final class MemcachedStoreTest extends MemcachedContract
{
    protected function scheme(): string
    {
        return 'memcached';
    }
}

<?php

declare(strict_types=1);

namespace Larder\Tests\Store;

final class MemcacheStoreTest extends MemcachedContract
{
    protected function scheme(): string
    {
        return 'memcache';
    }
}

<?php

declare(strict_types=1);

namespace Larder\Tests\Driver\Legacy\Memcache;

use Larder\Tests\Driver\Memcached\MemcachedTestCase;

final class MemcacheTest extends MemcachedTestCase
{
    protected static function scheme(): string
    {
        return 'memcache';
    }
}

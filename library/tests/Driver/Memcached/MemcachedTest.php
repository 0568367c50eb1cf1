<?php

declare(strict_types=1);

namespace Larder\Tests\Driver\Memcached;

final class MemcachedTest extends MemcachedTestCase
{
    protected static function scheme(): string
    {
        return 'memcached';
    }
}

<?php

declare(strict_types=1);

namespace Larder\Tests\Capability;

final class MemcacheCapabilitiesTest extends MemcachedCapabilities
{
    protected function scheme(): string
    {
        return 'memcache';
    }
}

<?php

declare(strict_types=1);

namespace Larder\Tests\Capability;

use Larder\Cache;
use Larder\Store\Capability;
use Larder\Store\Store;
use Larder\Testing\CapabilitiesContract;
use Larder\Tests\Servers;

final class MemcacheCapabilitiesTest extends CapabilitiesContract
{
    protected function open(string $namespace): Store
    {
        return Cache::open(\sprintf('memcache://%s?namespace=%s', Servers::memcached()->socket, $namespace))->store();
    }

    protected function capabilities(): array
    {
        return [Capability::Add, Capability::Replace, Capability::Increment, Capability::Touch, Capability::Swap, Capability::Lock, Capability::Expiry];
    }

    protected function tooLarge(): string
    {
        return random_bytes(2 << 20);
    }

    protected function isOnThisMachine(): bool
    {
        return false;
    }
}

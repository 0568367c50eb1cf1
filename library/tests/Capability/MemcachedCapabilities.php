<?php

declare(strict_types=1);

namespace Larder\Tests\Capability;

use Larder\Cache;
use Larder\Contract\Capability;
use Larder\Contract\Store;
use Larder\Testing\CapabilitiesContract;
use Larder\Tests\Servers;

/** How servers are opened by both extensions. */
abstract class MemcachedCapabilities extends CapabilitiesContract
{
    abstract protected function scheme(): string;

    protected function open(string $namespace): Store
    {
        return Cache::open(\sprintf('%s://%s?namespace=%s', $this->scheme(), Servers::memcached()->socket, $namespace) . Servers::PATIENTLY)->store();
    }

    protected function capabilities(): array
    {
        return [Capability::Atomic, Capability::Lock, Capability::Expiry];
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

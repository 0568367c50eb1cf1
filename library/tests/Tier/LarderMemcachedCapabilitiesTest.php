<?php

declare(strict_types=1);

namespace Larder\Tests\Tier;

use Larder\Contract\Capability;
use Larder\Contract\Store;
use Larder\Testing\CapabilitiesContract;

final class LarderMemcachedCapabilitiesTest extends CapabilitiesContract
{
    protected function open(string $namespace): Store
    {
        return Tiers::LarderMemcached->open($namespace);
    }

    protected function capabilities(): array
    {
        return array_values(array_filter(Capability::cases(), static fn(Capability $capability): bool => !\in_array($capability, [Capability::Keys, Capability::Prune], true)));
    }

    protected function tooLarge(): string
    {
        return random_bytes(2 << 20);
    }

    protected function isOnThisMachine(): bool
    {
        return false;
    }

    protected function mayHaveDoneWhatItRefused(): bool
    {
        return true;
    }
}

<?php

declare(strict_types=1);

namespace Larder\Tests\Capability;

use Larder\Cache;
use Larder\Store\Capability;
use Larder\Store\Store;
use Larder\Testing\CapabilitiesContract;

final class LarderCapabilitiesTest extends CapabilitiesContract
{
    protected function open(string $namespace): Store
    {
        return Cache::open('larder:')->store();
    }

    protected function capabilities(): array
    {
        return [Capability::Add, Capability::Replace, Capability::Increment, Capability::Touch, Capability::Swap, Capability::SetIf, Capability::Lock];
    }

    protected function tooLarge(): string
    {
        return random_bytes(20 << 20);
    }
}

<?php

declare(strict_types=1);

namespace Larder\Tests\Capability;

use Larder\Cache;
use Larder\Contract\Store;
use Larder\Testing\CapabilitiesContract;

final class NamespacedLarderCapabilitiesTest extends CapabilitiesContract
{
    protected function open(string $namespace): Store
    {
        return Cache::open('larder:?namespace=' . $namespace)->store();
    }

    protected function longestListed(): int
    {
        return 65_522;
    }

    protected function tooLarge(): string
    {
        return random_bytes(20 << 20);
    }
}

<?php

declare(strict_types=1);

namespace Larder\Tests\Capability;

use Larder\Cache;
use Larder\Store\Capability;
use Larder\Store\Store;
use Larder\Testing\CapabilitiesContract;

final class YacCapabilitiesTest extends CapabilitiesContract
{
    protected function open(string $namespace): Store
    {
        return Cache::open('yac:?namespace=' . $namespace)->store();
    }

    protected function capabilities(): array
    {
        return [Capability::Lock];
    }
}

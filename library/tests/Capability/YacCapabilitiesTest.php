<?php

declare(strict_types=1);

namespace Larder\Tests\Capability;

use Larder\Cache;
use Larder\Contract\Capability;
use Larder\Contract\Store;
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

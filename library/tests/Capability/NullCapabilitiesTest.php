<?php

declare(strict_types=1);

namespace Larder\Tests\Capability;

use Larder\Cache;
use Larder\Contract\Store;
use Larder\Testing\CapabilitiesContract;

final class NullCapabilitiesTest extends CapabilitiesContract
{
    protected function open(string $namespace): Store
    {
        return Cache::open('none:')->store();
    }

    protected function capabilities(): array
    {
        return [];
    }
}

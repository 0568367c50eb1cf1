<?php

declare(strict_types=1);

namespace Larder\Tests\Capability;

use Larder\Cache;
use Larder\Contract\Store;
use Larder\Testing\CapabilitiesContract;

final class ArrayCapabilitiesTest extends CapabilitiesContract
{
    protected function open(string $namespace): Store
    {
        return Cache::open('array:')->store();
    }

    protected function isOnlyInItsObject(): bool
    {
        return true;
    }
}

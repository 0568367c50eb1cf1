<?php

declare(strict_types=1);

namespace Larder\Tests\Capability;

use Larder\Cache;
use Larder\Contract\Store;
use Larder\Testing\CapabilitiesContract;

final class ApcuCapabilitiesTest extends CapabilitiesContract
{
    protected function open(string $namespace): Store
    {
        return Cache::open('apcu:?namespace=' . $namespace)->store();
    }

    protected function tooLarge(): string
    {
        return random_bytes(40 << 20);
    }
}

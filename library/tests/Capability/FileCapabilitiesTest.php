<?php

declare(strict_types=1);

namespace Larder\Tests\Capability;

use Larder\Cache;
use Larder\Contract\Store;
use Larder\Testing\CapabilitiesContract;
use Larder\Tests\Servers;

final class FileCapabilitiesTest extends CapabilitiesContract
{
    protected function open(string $namespace): Store
    {
        return Cache::open(\sprintf('file://%s?namespace=%s', Servers::directory('capabilities'), $namespace))->store();
    }

    protected function prunes(): bool
    {
        return true;
    }
}

<?php

declare(strict_types=1);

namespace Larder\Tests\Capability;

use Larder\Cache;
use Larder\Contract\Capability;
use Larder\Contract\Store;
use Larder\Testing\CapabilitiesContract;
use Larder\Tests\Servers;

final class SqliteCapabilitiesTest extends CapabilitiesContract
{
    protected function open(string $namespace): Store
    {
        return Cache::open(\sprintf('sqlite://%s/capabilities.sqlite?namespace=%s', Servers::directory('sqlite'), $namespace))->store();
    }

    protected function capabilities(): array
    {
        return Capability::cases();
    }
}

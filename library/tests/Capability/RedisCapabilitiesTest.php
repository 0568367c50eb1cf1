<?php

declare(strict_types=1);

namespace Larder\Tests\Capability;

use Larder\Cache;
use Larder\Store\Store;
use Larder\Testing\CapabilitiesContract;
use Larder\Tests\Servers;

final class RedisCapabilitiesTest extends CapabilitiesContract
{
    protected function open(string $namespace): Store
    {
        return Cache::open(\sprintf('redis://%s?namespace=%s', Servers::redis()->socket, $namespace))->store();
    }

    protected function tooLarge(): string
    {
        return random_bytes(2 << 20);
    }

    protected function isOnThisMachine(): bool
    {
        return false;
    }
}

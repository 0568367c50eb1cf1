<?php

declare(strict_types=1);

namespace Larder\Tests\Capability;

use Larder\Cache;
use Larder\Contract\Store;
use Larder\Testing\CapabilitiesContract;
use Larder\Tests\Servers;

/** How servers are opened by both clients. */
abstract class RedisCapabilities extends CapabilitiesContract
{
    abstract protected function client(): string;

    protected function open(string $namespace): Store
    {
        return Cache::open(\sprintf('redis://%s?client=%s&namespace=%s', Servers::redis()->socket, $this->client(), $namespace) . Servers::PATIENTLY)->store();
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

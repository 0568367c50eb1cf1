<?php

declare(strict_types=1);

namespace Larder\Tests\Tier;

use Larder\Contract\Store;
use Larder\Testing\CapabilitiesContract;

final class ArrayRedisCapabilitiesTest extends CapabilitiesContract
{
    protected function open(string $namespace): Store
    {
        return Tiers::ArrayRedis->open($namespace);
    }

    protected function tooLarge(): string
    {
        return random_bytes(2 << 20);
    }

    protected function isOnThisMachine(): bool
    {
        return false;
    }

    protected function mayHaveDoneWhatItRefused(): bool
    {
        return true;
    }
}

<?php

declare(strict_types=1);

namespace Larder\Tests\Capability;

final class PredisCapabilitiesTest extends RedisCapabilities
{
    protected function client(): string
    {
        return 'predis';
    }
}

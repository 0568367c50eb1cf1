<?php

declare(strict_types=1);

namespace Larder\Tests\Capability;

final class MySqlMemoryCapabilitiesTest extends MySqlCapabilities
{
    protected function engine(): string
    {
        return 'memory';
    }

    protected function tooLarge(): string
    {
        return random_bytes(3 << 20);
    }
}

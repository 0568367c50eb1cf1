<?php

declare(strict_types=1);

namespace Larder\Tests\Capability;

final class MySqlMyIsamCapabilitiesTest extends MySqlCapabilities
{
    protected function engine(): string
    {
        return 'myisam';
    }

    protected function tooLarge(): string
    {
        return random_bytes(3 << 20);
    }
}

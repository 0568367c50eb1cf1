<?php

declare(strict_types=1);

namespace Larder\Tests\Capability;

final class MySqlInnoDbCapabilitiesTest extends MySqlCapabilities
{
    protected function engine(): string
    {
        return 'innodb';
    }

    protected function tooLarge(): string
    {
        return random_bytes(3 << 20);
    }
}

<?php

declare(strict_types=1);

namespace Larder\Tests\Capability;

final class MySqlMemoryCapabilitiesTest extends MySqlCapabilities
{
    protected function engine(): string
    {
        return 'memory';
    }

    protected function capabilities(): array
    {
        return [];
    }
}

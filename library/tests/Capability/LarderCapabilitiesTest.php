<?php

declare(strict_types=1);

namespace Larder\Tests\Capability;

use Larder\Cache;
use Larder\Contract\Store;
use Larder\Testing\CapabilitiesContract;

final class LarderCapabilitiesTest extends CapabilitiesContract
{
    protected function open(string $namespace): Store
    {
        return Cache::open('larder:')->store();
    }

    /** What other tests left in the segment has keys too. */
    protected function setUp(): void
    {
        larder_clear();
        parent::setUp();
    }

    protected function tooLarge(): string
    {
        return random_bytes(20 << 20);
    }
}

<?php

declare(strict_types=1);

namespace Larder\Tests\Tier;

use Larder\Cache;
use Larder\Testing\RememberContract;

final class LarderMemcachedRememberTest extends RememberContract
{
    protected function open(): Cache
    {
        return Tiers::LarderMemcached->in('remember');
    }

    protected function isOnThisMachine(): bool
    {
        return false;
    }
}

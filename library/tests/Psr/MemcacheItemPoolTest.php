<?php

declare(strict_types=1);

namespace Larder\Tests\Psr;

use Larder\Cache;
use Larder\Testing\ItemPoolContract;
use Larder\Tests\Place;

final class MemcacheItemPoolTest extends ItemPoolContract
{
    protected function open(): Cache
    {
        return Place::Memcache->open();
    }
}

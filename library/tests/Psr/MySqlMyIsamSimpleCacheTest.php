<?php

declare(strict_types=1);

namespace Larder\Tests\Psr;

use Larder\Cache;
use Larder\Testing\SimpleCacheContract;
use Larder\Tests\Place;

final class MySqlMyIsamSimpleCacheTest extends SimpleCacheContract
{
    protected function open(): Cache
    {
        return Place::MySqlMyIsam->open();
    }
}

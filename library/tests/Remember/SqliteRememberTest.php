<?php

declare(strict_types=1);

namespace Larder\Tests\Remember;

use Larder\Cache;
use Larder\Testing\RememberContract;
use Larder\Tests\Place;

final class SqliteRememberTest extends RememberContract
{
    protected function open(): Cache
    {
        return Place::Sqlite->in('remember');
    }
}

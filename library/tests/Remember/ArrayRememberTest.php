<?php

declare(strict_types=1);

namespace Larder\Tests\Remember;

use Larder\Cache;
use Larder\Testing\RememberContract;
use Larder\Tests\Place;

final class ArrayRememberTest extends RememberContract
{
    protected function open(): Cache
    {
        return Place::Array->in('remember');
    }

    protected function isOnlyInItsObject(): bool
    {
        return true;
    }
}

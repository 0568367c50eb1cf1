<?php

declare(strict_types=1);

namespace Larder\Tests\Remember;

use Larder\Cache;
use Larder\Testing\RememberContract;
use Larder\Tests\Place;

final class PredisRememberTest extends RememberContract
{
    protected function open(): Cache
    {
        return Place::Predis->in('remember');
    }

    protected function isOnThisMachine(): bool
    {
        return false;
    }
}

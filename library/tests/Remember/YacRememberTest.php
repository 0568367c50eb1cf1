<?php

declare(strict_types=1);

namespace Larder\Tests\Remember;

use Larder\Cache;
use Larder\Testing\RememberContract;
use Larder\Tests\Place;

final class YacRememberTest extends RememberContract
{
    protected function open(): Cache
    {
        return Place::Yac->in('remember');
    }

    /** Nothing locks its memory: an entry may be lost where a process is stopped in the middle of writing one. */
    protected function mayLose(): bool
    {
        return true;
    }
}

<?php

declare(strict_types=1);

namespace Larder\Tests\Tier;

use Larder\Cache;
use Larder\Testing\RememberContract;

final class LarderFileRememberTest extends RememberContract
{
    protected function open(): Cache
    {
        return Tiers::LarderFile->in('remember');
    }
}

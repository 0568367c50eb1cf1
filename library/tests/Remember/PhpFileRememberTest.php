<?php

declare(strict_types=1);

namespace Larder\Tests\Remember;

use Larder\Cache;
use Larder\Testing\RememberContract;
use Larder\Tests\Place;

final class PhpFileRememberTest extends RememberContract
{
    protected function open(): Cache
    {
        return Place::PhpFile->in('remember');
    }
}

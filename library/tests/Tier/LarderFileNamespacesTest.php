<?php

declare(strict_types=1);

namespace Larder\Tests\Tier;

use Larder\Cache;
use Larder\Testing\NamespacesContract;
use Larder\Tests\Servers;

final class LarderFileNamespacesTest extends NamespacesContract
{
    protected function open(string $namespace): Cache
    {
        return new Cache(Tiers::LarderFile->open(Servers::run() . $namespace));
    }
}

<?php

declare(strict_types=1);

namespace Larder\Tests\Namespaces;

use Larder\Cache;
use Larder\Testing\NamespacesContract;
use Larder\Tests\Place;

final class YacNamespacesTest extends NamespacesContract
{
    protected function open(string $namespace): Cache
    {
        return Place::Yac->in($namespace);
    }
}

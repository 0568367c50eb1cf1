<?php

declare(strict_types=1);

namespace Larder\Tests\Namespaces;

use Larder\Cache;
use Larder\Testing\NamespacesContract;
use Larder\Tests\Place;

final class ArrayNamespacesTest extends NamespacesContract
{
    protected function open(string $namespace): Cache
    {
        return Place::Array->in($namespace);
    }

    protected function isOnlyInItsObject(): bool
    {
        return true;
    }
}

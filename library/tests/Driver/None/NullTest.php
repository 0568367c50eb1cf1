<?php

declare(strict_types=1);

namespace Larder\Tests\Driver\None;

use Larder\Cache;
use Larder\Contract\Store;
use Larder\Testing\AtomicContract;
use Larder\Testing\CapabilitiesContract;
use Larder\Testing\LockContract;
use Larder\Testing\StoreContract;
use Larder\Testing\StoreTestCase;

final class NullTest extends StoreTestCase
{
    use AtomicContract;
    use CapabilitiesContract;
    use LockContract;
    use StoreContract;

    protected function open(string $namespace): Store
    {
        return Cache::open('none:')->store();
    }

    protected function keepsValues(): bool
    {
        return false;
    }

    protected function capabilities(): array
    {
        return [];
    }
}

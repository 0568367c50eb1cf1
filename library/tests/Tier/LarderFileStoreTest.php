<?php

declare(strict_types=1);

namespace Larder\Tests\Tier;

use Larder\Contract\Store;
use Larder\Testing\StoreContract;

final class LarderFileStoreTest extends StoreContract
{
    protected function open(string $namespace): Store
    {
        return Tiers::LarderFile->open($namespace);
    }
}

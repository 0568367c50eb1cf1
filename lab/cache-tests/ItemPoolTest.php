<?php

declare(strict_types=1);

use Cache\IntegrationTests\CachePoolTest;
use Larder\Psr\ItemPool;

/** Runs php-cache's tests of PSR-6 on ItemPool. */
final class ItemPoolTest extends CachePoolTest
{
    use KeysAreStrings;

    public function createCachePool(): ItemPool
    {
        return new ItemPool(tested_cache());
    }
}

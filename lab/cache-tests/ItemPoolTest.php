<?php

declare(strict_types=1);

use Cache\IntegrationTests\CachePoolTest;
use Larder\Psr\ItemPool;

/** ItemPool: php-cache's tests of PSR-6. */
final class ItemPoolTest extends CachePoolTest
{
    use KeysAreStrings;

    public function createCachePool(): ItemPool
    {
        return new ItemPool(tested_cache());
    }
}

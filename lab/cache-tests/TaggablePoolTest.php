<?php

declare(strict_types=1);

use Cache\IntegrationTests\TaggableCachePoolTest;
use Larder\Psr\TaggablePool;

/** Runs php-cache's tests of tags on TaggablePool. */
final class TaggablePoolTest extends TaggableCachePoolTest
{
    public function createCachePool(): TaggablePool
    {
        return new TaggablePool(tested_cache());
    }
}

<?php

declare(strict_types=1);

use Larder\Psr\SimpleCache;
use Symfony\Component\Cache\Tests\Psr16CacheTest;

/** Runs php-cache's tests of PSR-16 on SimpleCache, and the ones that Symfony adds. */
final class SimpleCacheTest extends Psr16CacheTest
{
    use KeysAreStrings;

    protected $skippedTests = [
        'testPrune' => 'PSR-16 has no prune()',
        'testGetMultipleNoIterable' => self::TYPED,
        'testSetMultipleNoIterable' => self::TYPED,
        'testDeleteMultipleNoIterable' => self::TYPED,
        'testSetInvalidTtl' => self::TYPED,
        'testSetMultipleInvalidTtl' => self::TYPED,
    ];

    private const TYPED = 'PHP itself refuses or converts arguments of other types since version 3 of PSR-16';

    public function createSimpleCache(int $defaultLifetime = 0): SimpleCache
    {
        return new SimpleCache(tested_cache(), defaultTtl: $defaultLifetime);
    }
}

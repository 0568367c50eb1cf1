<?php

declare(strict_types=1);

use Larder\Psr\SimpleCache;
use Symfony\Component\Cache\Adapter\Psr16Adapter;
use Symfony\Component\Cache\Tests\Adapter\AdapterTestCase;

/** Runs Symfony's tests of adapters on SimpleCache in Symfony's adapter for PSR-16. */
final class SymfonyPsr16Test extends AdapterTestCase
{
    protected $skippedTests = [
        'testPrune' => 'PSR-16 has no prune()',
        'testClearPrefix' => 'PSR-16 cannot clear by prefix',
        'testClearPrefixWithUnderscore' => 'PSR-16 cannot clear by prefix',
        'testClearWithInvalidPrefix' => 'PSR-16 cannot clear by prefix',
    ];

    public function createCachePool(int $defaultLifetime = 0): Psr16Adapter
    {
        return new Psr16Adapter(new SimpleCache(tested_cache()), '', $defaultLifetime);
    }
}

<?php

declare(strict_types=1);

use Larder\Psr\ItemPool;
use Symfony\Component\Cache\Adapter\ProxyAdapter;
use Symfony\Component\Cache\Tests\Adapter\AdapterTestCase;

/** Runs Symfony's tests of adapters on ItemPool in Symfony's adapter for PSR-6. */
final class SymfonyPsr6Test extends AdapterTestCase
{
    protected $skippedTests = [
        'testPrune' => 'PSR-6 has no prune()',
        'testClearPrefix' => 'PSR-6 cannot clear by prefix',
        'testClearPrefixWithUnderscore' => 'PSR-6 cannot clear by prefix',
        'testClearWithInvalidPrefix' => 'PSR-6 cannot clear by prefix',
    ];

    public function createCachePool(int $defaultLifetime = 0): ProxyAdapter
    {
        return new ProxyAdapter(new ItemPool(tested_cache()), '', $defaultLifetime);
    }
}

<?php

declare(strict_types=1);

use Larder\Psr\ItemPool;
use Symfony\Component\Cache\Adapter\ProxyAdapter;
use Symfony\Component\Cache\Adapter\TagAwareAdapter;
use Symfony\Component\Cache\Tests\Adapter\AdapterTestCase;
use Symfony\Component\Cache\Tests\Adapter\TagAwareTestTrait;

/** Runs Symfony's tests of tags on ItemPool in Symfony's tag-aware adapter. */
final class SymfonyTagsTest extends AdapterTestCase
{
    use TagAwareTestTrait;

    protected $skippedTests = [
        'testPrune' => 'PSR-6 has no prune()',
        'testClearPrefix' => 'PSR-6 cannot clear by prefix',
        'testClearPrefixWithUnderscore' => 'PSR-6 cannot clear by prefix',
        'testClearWithInvalidPrefix' => 'PSR-6 cannot clear by prefix',
    ];

    public function createCachePool(int $defaultLifetime = 0): TagAwareAdapter
    {
        return new TagAwareAdapter(new ProxyAdapter(new ItemPool(tested_cache()), '', $defaultLifetime));
    }
}

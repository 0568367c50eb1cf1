<?php

declare(strict_types=1);

use Larder\Contract\Capability;
use Larder\Driver\Memory\ArrayStore;
use Larder\Symfony\Adapter;
use Symfony\Component\Cache\Tests\Adapter\AdapterTestCase;
use Symfony\Component\Cache\Tests\Adapter\TagAwareTestTrait;

/** Runs Symfony's tests of adapters and of tags on the adapter of larder/symfony. */
final class SymfonyAdapterTest extends AdapterTestCase
{
    use TagAwareTestTrait;

    protected function setUp(): void
    {
        if (!tested_cache()->can(Capability::Keys)) {
            $this->skippedTests['testClearPrefix'] = 'the store cannot list its keys, so all are cleared';
            $this->skippedTests['testClearPrefixWithUnderscore'] = $this->skippedTests['testClearPrefix'];
        }
        parent::setUp();
    }

    public function createCachePool(int $defaultLifetime = 0): Adapter
    {
        // Each sub-namespace of an array is an array of its own.
        $pool = tested_cache()->store() instanceof ArrayStore ? '' : 'pool';

        return new Adapter(tested_cache(), $pool, $defaultLifetime);
    }

    protected function isPruned(Adapter $cache, string $name): bool
    {
        return !$cache->hasItem($name);
    }
}

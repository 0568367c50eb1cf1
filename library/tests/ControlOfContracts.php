<?php

declare(strict_types=1);

namespace Larder\Tests;

use Larder\Cache;
use Larder\Testing\SimpleCacheContract;

/** A test class that makes light of one test of its contract: ContractsTest has to notice. */
abstract class ControlOfContracts extends SimpleCacheContract
{
    protected function open(): Cache
    {
        return Cache::open('none:');
    }

    public function testAllowedKey(string $key): void
    {
        self::assertNotSame('', $key);
    }
}

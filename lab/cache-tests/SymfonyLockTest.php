<?php

declare(strict_types=1);

use Larder\Contract\Capability;
use Larder\Driver\Memory\ArrayStore;
use Larder\Symfony\LockStore;
use Symfony\Component\Lock\Tests\Store\AbstractStoreTestCase;
use Symfony\Component\Lock\Tests\Store\BlockingStoreTestTrait;
use Symfony\Component\Lock\Tests\Store\ExpiringStoreTestTrait;
use Symfony\Component\Lock\Tests\Store\SharedLockStoreTestTrait;

/** Runs Symfony's tests of lock stores on that of larder/symfony. Its keys can be serialized. */
final class SymfonyLockTest extends AbstractStoreTestCase
{
    use BlockingStoreTestTrait {
        testBlockingLocks as private blockingLocks;
    }
    use ExpiringStoreTestTrait;
    use SharedLockStoreTestTrait;

    protected function setUp(): void
    {
        if (!tested_cache()->can(Capability::Atomic)) {
            self::markTestSkipped('locks need a store with atomic changes');
        }
    }

    public function testBlockingLocks(): void
    {
        if (tested_cache()->store() instanceof ArrayStore) {
            self::markTestSkipped('processes do not share an array');
        }
        $this->blockingLocks();
    }

    protected function getStore(): LockStore
    {
        return new LockStore(tested_cache());
    }

    protected function getClockDelay(): int
    {
        return 250_000;
    }
}

<?php

declare(strict_types=1);

namespace Larder\Tests\Driver;

use Larder\Cache;
use Larder\Contract\Store;
use Larder\Testing\AllContracts;
use Larder\Testing\StoreTestCase;
use Larder\Tests\Psr\TaggablePoolTests;

/** The base of the tests of this library's own stores: they are opened by a DSN and tested by every contract. */
abstract class DriverTestCase extends StoreTestCase
{
    use AllContracts;
    use TaggablePoolTests;

    /** DSN of a store that runs for these tests, with this namespace if it has namespaces. */
    abstract public static function dsn(string $namespace): string;

    protected function open(string $namespace): Store
    {
        return Cache::open(static::dsn($namespace))->store();
    }

    /** Every store whose server is stopped behaves like this. */
    protected static function assertGivesOnlyMisses(Cache $cache): void
    {
        self::assertSame('default', $cache->get('k', 'default'));
        self::assertSame(['k' => 'default', 'l' => 'default'], $cache->getMany(['k', 'l'], 'default'));
        self::assertFalse($cache->has('k'));
        self::assertFalse($cache->set('k', 'new'));
        self::assertFalse($cache->setMany(['k' => 'new']));
        self::assertFalse($cache->delete('k'));
        self::assertFalse($cache->clear());
    }
}

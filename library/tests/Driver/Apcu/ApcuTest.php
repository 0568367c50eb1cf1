<?php

declare(strict_types=1);

namespace Larder\Tests\Driver\Apcu;

use Larder\Cache;
use Larder\Internal\Driver\Apcu\Apcu;
use Larder\Internal\Key\NamespaceName;
use Larder\Tests\Driver\DriverTestCase;

final class ApcuTest extends DriverTestCase
{
    public static function dsn(string $namespace): string
    {
        return 'apcu:?namespace=' . $namespace;
    }

    /** The default of apc.shm_size is 32 MB. */
    protected function tooLarge(): string
    {
        return random_bytes(40 << 20);
    }

    protected function plantNeighbour(): void
    {
        apcu_store($this->neighbours());
    }

    protected function neighbourIsThere(): bool
    {
        return apcu_fetch(array_keys($this->neighbours())) === $this->neighbours();
    }

    /** @return array<string, string> keys of another program that uses the same name */
    private function neighbours(): array
    {
        return array_fill_keys([$this->namespace, $this->namespace . ':k', 'x' . $this->namespace . ':k', 'k'], 'keep');
    }

    /** symfony/cache and many other programs name their entries like this. */
    public function testKeysOfAnotherProgramAreNotRead(): void
    {
        apcu_store('shop:cart', 'of another program');
        $cache = Cache::open(self::dsn('shop'));
        self::assertNull($cache->get('cart'));
        self::assertTrue($cache->set('price', 5, 60) && $cache->add('cart', 'own'));
        self::assertFalse(apcu_exists('shop:price'));
        self::assertSame('of another program', apcu_fetch('shop:cart'));
        $keys = [...$cache->keys()];
        sort($keys);
        self::assertSame(['cart', 'price'], $keys);
        self::assertTrue($cache->clear());
        self::assertSame([false, true], [$cache->has('cart'), apcu_exists('shop:cart')]);
        apcu_delete('shop:cart');
    }

    /**
     * A cache that has not read an array yet has no store. Cache and store must use the same names in the default
     * namespace.
     */
    public function testKeysOfTheDefaultNamespaceHaveOneName(): void
    {
        self::assertSame('larder-cache:larder:', Apcu::prefixOf('apcu:'));
        self::assertSame(NamespaceName::prefix('larder'), Apcu::prefixOf('apcu:'));
        self::assertSame(NamespaceName::prefix('shop'), Apcu::prefixOf('apcu:?namespace=shop'));
        foreach ([
            'apcu:x', 'apcu:?', 'apcu:?namespace=', 'apcu:?namespace=a/b', 'apcu:?namespace=a&sample=1',
        ] as $dsn) {
            self::assertNull(Apcu::prefixOf($dsn), $dsn);
        }
    }

    public function testFirstArrayThatIsReadIsAsStored(): void
    {
        Cache::open(self::dsn(
            'first',
        ))->setMany(['list' => [1, 2], 'object' => new \ArrayObject([3]), 'kept' => [4]], 60);
        foreach (['list' => [1, 2], 'object' => new \ArrayObject([3]), 'kept' => [4]] as $key => $value) {
            self::assertEquals($value, Cache::open(self::dsn('first'))->get($key));
        }
        Cache::open(self::dsn('first'))->clear();
    }
}

<?php

declare(strict_types=1);

namespace Larder\Tests\Driver\Engine;

use Larder\Cache;
use Larder\Exception\InvalidKey;
use Larder\Tests\Driver\DriverTestCase;

final class NamespacedEngineTest extends DriverTestCase
{
    public static function dsn(string $namespace): string
    {
        return 'larder:?namespace=' . $namespace;
    }

    /** Values that get() reads directly, while other stores read them through the store. */
    protected function setUp(): void
    {
        parent::setUp();
        $this->cache = Cache::open(self::dsn($this->namespace));
    }

    public function testGetWithoutTheStoreGivesWhatTheStoreGives(): void
    {
        $fresh = fn(): Cache => Cache::open(self::dsn($this->namespace));
        self::assertSame('no version yet', $fresh()->get('k', 'no version yet'));
        $long = str_repeat('k', 65_535);
        foreach (['k' => 1, 'array' => ["\0larder" => 'a caller\'s own'], $long => null] as $key => $value) {
            self::assertTrue($this->store->set('other', 'other') && $fresh()->set($key, $value));
            self::assertSame([$value, $value], [$fresh()->get($key, 'miss'), $this->cache->get($key, 'miss')]);
            self::assertTrue($fresh()->has($key) && $fresh()->delete($key));
            self::assertSame('miss', $fresh()->get($key, 'miss'));
        }
        self::assertTrue($fresh()->set('k', 1) && $this->cache->clear());
        self::assertFalse($this->cache->has('k') || $fresh()->has('k'));
        foreach (['', $long . 'k'] as $wrong) {
            self::assertThrows(InvalidKey::class, static fn(): mixed => $fresh()->get($wrong), 'A key');
        }
    }

    public function testBookkeepingCountsNeitherAsHitNorAsMiss(): void
    {
        $cache = Cache::open(self::dsn($this->namespace));
        $cache->set('tagged', 1, tags: $cache->tagVersions(['t']));
        $count = static fn(string $name): int => \is_int($count = larder_info(false)[$name]) ? $count : 0;
        [$hits, $misses] = [$count('hits'), $count('misses')];
        for ($i = 0; $i < 1000; ++$i) {
            $cache->get('none');
            $cache->get('tagged');
        }
        self::assertSame([1000, 1000], [$count('hits') - $hits, $count('misses') - $misses]);
    }

    protected function longestListed(): int
    {
        return 65_522;
    }

    protected function tooLarge(): string
    {
        return random_bytes(20 << 20);
    }

    protected function plantNeighbour(): void
    {
        larder_store('k', 'keep');
    }

    protected function neighbourIsThere(): bool
    {
        return larder_fetch('k') === 'keep';
    }
}

<?php

declare(strict_types=1);

namespace Larder\Tests;

use Larder\Cache;
use Larder\CacheInterface;
use Larder\Psr\ItemPool;
use Larder\Psr\SimpleCache;
use PHPUnit\Framework\TestCase;

final class CacheInterfaceTest extends TestCase
{
    public function testItHasEveryMethodThatIsNotAboutOpening(): void
    {
        $public = array_filter((new \ReflectionClass(Cache::class))->getMethods(\ReflectionMethod::IS_PUBLIC), static fn(\ReflectionMethod $method): bool => !$method->isStatic());
        $only = array_diff(array_column($public, 'name'), get_class_methods(CacheInterface::class));
        self::assertSame(['__construct', 'reach', 'explain', 'failures'], array_values($only));
    }

    public function testPsrCachesWorkOverAnotherImplementation(): void
    {
        $cache = self::createStub(CacheInterface::class);
        $cache->method('get')->willReturn('from the stub');
        self::assertSame('from the stub', (new SimpleCache($cache))->get('k'));
        self::assertSame('from the stub', (new ItemPool($cache))->getItem('k')->get());
    }
}

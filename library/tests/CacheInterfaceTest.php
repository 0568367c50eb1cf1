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
        $public = array_filter(
            (new \ReflectionClass(Cache::class))->getMethods(\ReflectionMethod::IS_PUBLIC),
            static fn(\ReflectionMethod $method): bool => !$method->isStatic(),
        );
        $only = array_diff(array_column($public, 'name'), get_class_methods(CacheInterface::class));
        self::assertSame(
            ['__construct', 'withSubNamespace', 'withinRequest', 'getWithTags', 'reach', 'explain', 'failures'],
            array_values($only),
        );
    }

    /** PagesTest runs the page's examples, but no tests that they define. */
    public function testMocksOfThePageWork(): void
    {
        $page = (string) file_get_contents(__DIR__ . '/../../docs/develop.md');
        self::assertSame(1, preg_match('~^```php\n([^`]*final class (\w+) extends TestCase.*?)^```~ms', $page, $block));
        eval($block[1]);
        self::assertTrue(is_a($block[2], TestCase::class, true));
        $tests = array_filter(
            get_class_methods($block[2]),
            static fn(string $method): bool => str_starts_with($method, 'test'),
        );
        self::assertNotEmpty($tests);
        foreach ($tests as $test) {
            (new \ReflectionMethod($block[2], $test))->invoke(new $block[2]($test));
        }
    }

    public function testPsrCachesWorkOverAnotherImplementation(): void
    {
        $cache = self::createStub(CacheInterface::class);
        $cache->method('get')->willReturn('from the stub');
        self::assertSame('from the stub', (new SimpleCache($cache))->get('k'));
        self::assertSame('from the stub', (new ItemPool($cache))->getItem('k')->get());
    }
}

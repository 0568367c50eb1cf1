<?php

declare(strict_types=1);

namespace Larder\Tests\Driver;

use Larder\Cache;
use Larder\Exception\StoreFailed;
use Larder\Testing\AssertsThrows;
use Larder\Tests\RecordingLogger;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

/** Closures that return no client, like those of a framework whose server is down. */
final class BorrowedClientTest extends TestCase
{
    use AssertsThrows;

    /** @return iterable<string, array{\Closure}> */
    public static function closures(): iterable
    {
        foreach ([
            \Redis::class, \RedisCluster::class, \Predis\ClientInterface::class, \Memcached::class, \PDO::class,
        ] as $class) {
            $closure = eval("return static fn(): $class => null;"); // static analysis would not accept this
            yield $class => [$closure instanceof \Closure ? $closure : self::fail('no closure')];
        }
        yield 'by an exception' => [static fn(): \PDO => throw new \RuntimeException('away')];
    }

    #[DataProvider('closures')]
    public function testClosureThatGivesNoClientIsAnOutage(\Closure $closure): void
    {
        $log = new RecordingLogger();
        foreach (['', 'array:'] as $local) {
            $cache = Cache::over($closure, 'namespace=none', $log, $local);
            self::assertSame(
                [null, false, 'made'],
                [$cache->get('k'), $cache->set('k', 1), $cache->remember('r', 60, static fn(): string => 'made')],
            );
        }
        self::assertCount(2, $log->entries());
        $strict = Cache::over($closure, 'namespace=none&on_failure=throw', $log);
        self::assertThrows(StoreFailed::class, static fn() => $strict->get('k'), 'function that connects has failed');
    }

    public function testErrorOfAClosureThatIsAnotherFaultIsTheCallers(): void
    {
        $cache = Cache::over(
            static fn(): \Redis => throw new \Error('no such class'),
            'namespace=none',
            new RecordingLogger(),
        );
        self::assertThrows(\Error::class, static fn() => $cache->get('k'), 'no such class');
    }
}

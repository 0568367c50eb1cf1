<?php

declare(strict_types=1);

namespace Larder\Tests\Decorator\Breaker;

use Illuminate\Contracts\Cache\LockTimeoutException;
use Larder\Cache;
use Larder\Contract\Store;
use Larder\Driver\Memory\ArrayStore;
use Larder\Dsn\Endpoint;
use Larder\Exception\StoreFailed;
use Larder\Internal\Decorator\Breaker\Breaker;
use Larder\Internal\Decorator\Breaker\BreakerStore;
use Larder\Internal\Decorator\Sharding\ShardedStore;
use Larder\Internal\Decorator\Tier\TierStore;
use Larder\Internal\Driver\Redis\Predis;
use Larder\Internal\Driver\Redis\RedisStore;
use Larder\Laravel\LarderLock;
use Larder\Server\ConnectionSettings;
use Larder\Testing\SetClock;
use Larder\Tests\Servers;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\TestCase;

/** Tests how long a process waits for a lock while the server is down. */
#[Group('waiting')]
final class LockDuringOutageTest extends TestCase
{
    /** Seconds: clearly different from no wait, and longer than most stalls of a busy machine. */
    private const WAIT = 10.0;

    private SetClock $clock;
    private Breaker $breaker;

    /** @return iterable<string, array{\Closure(BreakerStore): Store}> */
    public static function stores(): iterable
    {
        yield 'one server' => [static fn(BreakerStore $store): Store => $store];
        yield 'several servers' => [static fn(BreakerStore $store): Store => new ShardedStore(['a' => $store])];
        yield 'a tier' => [
            static fn(BreakerStore $store): Store => new TierStore(new ArrayStore(), $store, 'lock', 60.0, 1.0),
        ];
    }

    /** @param \Closure(BreakerStore): Store $with */
    #[DataProvider('stores')]
    public function testLockDoesNotWaitWhileTheBreakerIsOpen(\Closure $with): void
    {
        $cache = $this->away($with);
        $this->failUntilProbesAreRare();

        $start = microtime(true);
        self::assertNull($cache->lock('k', 60, wait: self::WAIT));
        self::assertLessThan(self::WAIT, microtime(true) - $start);
    }

    /** @param \Closure(BreakerStore): Store $with */
    #[DataProvider('stores')]
    public function testLaravelsLockDoesNotWaitEither(\Closure $with): void
    {
        $lock = new LarderLock($this->away($with), 'k', 60, null);
        $this->failUntilProbesAreRare();

        $start = microtime(true);

        try {
            $lock->block((int) self::WAIT);
            self::fail('the server is away');
        } catch (LockTimeoutException $timeout) {
            self::assertSame(
                'The lock "k" could not be acquired because its store is unreachable',
                $timeout->getMessage(),
            );
        }
        self::assertLessThan(self::WAIT, microtime(true) - $start);
    }

    /** @param \Closure(BreakerStore): Store $with */
    #[DataProvider('stores')]
    public function testLockWaitsWhenTheServerMayRecoverInTime(\Closure $with): void
    {
        $cache = $this->away($with);
        $wait = $this->breaker->secondsToProbe() + 0.2;

        $start = microtime(true);
        self::assertNull($cache->lock('k', 60, wait: $wait));
        // The breaker's clock stands still, so the next probe is due only after the remaining time.
        self::assertGreaterThan(0.19, microtime(true) - $start);
    }

    public function testWaitingLockProbesTheServer(): void
    {
        $breaker = $this->breaker();
        self::assertSame(0.0, $breaker->secondsToProbe());
        $breaker->failed(self::failure());
        self::assertSame(0.0, $breaker->secondsToProbe(), 'one failure is no outage');
        $breaker->failed(self::failure());
        $seconds = $breaker->secondsToProbe();
        self::assertGreaterThan(0.2, $seconds);
        $this->clock->move($seconds - 0.1);
        self::assertEqualsWithDelta(0.1, $breaker->secondsToProbe(), 0.001);
        $this->clock->move(0.11);
        self::assertSame(0.0, $breaker->secondsToProbe());
        self::assertTrue($breaker->allows());
        $breaker->recordSuccess();
        self::assertSame(0.0, $breaker->secondsToProbe());
    }

    /** @param \Closure(BreakerStore): Store $with */
    private function away(\Closure $with): Cache
    {
        $breaker = $this->breaker();
        $store = new BreakerStore(
            new RedisStore(new Predis(new ConnectionSettings(Endpoint::unix(
                Servers::directory('lock') . '/none.sock',
            )))),
            $breaker,
        );
        $store->get('k');
        $store->get('k');

        return new Cache($with($store));
    }

    private function breaker(): Breaker
    {
        $this->clock = new SetClock(new \DateTimeImmutable('2030-01-01 00:00:00'));

        return $this->breaker = new Breaker('redis', 'nowhere', clock: $this->clock);
    }

    /** Fails until the next probe is later than the end of a wait that begins now. */
    private function failUntilProbesAreRare(): void
    {
        while ($this->breaker->secondsToProbe() <= self::WAIT) {
            $this->clock->move($this->breaker->secondsToProbe() + 0.001);
            self::assertTrue($this->breaker->allows());
            $this->breaker->failed(self::failure());
        }
    }

    private static function failure(): StoreFailed
    {
        return StoreFailed::because('redis', 'no answer');
    }
}

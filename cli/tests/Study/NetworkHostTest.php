<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Study;

use Larder\Cache;
use Larder\Cli\Measure\Unavailable;
use Larder\Cli\Study\NetworkHost;
use Larder\Cli\System\TemporaryDirectory;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

/** Uses a real network namespace, which needs root. */
final class NetworkHostTest extends TestCase
{
    private TemporaryDirectory $directory;
    private NetworkHost $host;

    protected function setUp(): void
    {
        $this->directory = new TemporaryDirectory();

        try {
            $this->host = NetworkHost::start();
        } catch (Unavailable $unavailable) {
            self::markTestSkipped($unavailable->getMessage());
        }
    }

    protected function tearDown(): void
    {
        if (isset($this->host)) {
            $this->host->close();
        }
        $this->directory->remove();
    }

    public function testServersAreReachedWithTheDelayAndAtTheRate(): void
    {
        $servers = $this->host->startServers($this->directory->path);
        self::assertSame(['redis', 'memcached'], array_keys($servers));
        $value = str_repeat('x', 250_000);
        foreach ($servers as $scheme => $server) {
            $store = Cache::open(\sprintf('%s://%s?timeout=20&on_failure=throw', $scheme, $server))->store();
            self::assertTrue($store->set('small', 1));
            self::assertTrue($store->set('large', $value));
            self::assertGreaterThanOrEqual(
                1000 * NetworkHost::ROUND_TRIP_MICROSECONDS,
                self::nanoseconds(static fn(): mixed => $store->get('small')),
            );
            $this->host->limit('10mbit');
            // 200 ms at this rate, minus the part that fits into buffers
            self::assertGreaterThan(150e6, self::nanoseconds(static fn(): mixed => $store->get('large')));
            $this->host->limit('1gbit');
            self::assertSame($value, $store->get('large'));
        }
    }

    public function testNothingIsLeft(): void
    {
        $names = self::names();
        self::assertNotSame([], $names);
        $this->host->startServers($this->directory->path);
        $this->host->close();
        self::assertSame(
            [],
            array_filter(
                self::names(),
                static fn(string $name): bool => str_contains($name, \sprintf('larder-%d-', getmypid())),
            ),
        );
    }

    public function testLeftoversOfAKilledRunAreRemovedByTheNext(): void
    {
        $code = \sprintf(
            'require %s; $host = %s::start(); posix_kill(getmypid(), SIGKILL);',
            var_export(\dirname(__DIR__, 3) . '/vendor/autoload.php', true),
            NetworkHost::class,
        );
        $killed = new Process([\PHP_BINARY, '-r', $code]);
        $killed->start();
        $left = \sprintf('larder-%d-', $killed->getPid());
        while ($killed->isRunning()) {
            usleep(1000);
        }
        $isLeft = static fn(): bool
            => array_filter(self::names(), static fn(string $name): bool => str_starts_with($name, $left)) !== [];
        self::assertTrue($isLeft());
        $own = array_filter(
            self::names(),
            static fn(string $name): bool => str_starts_with($name, \sprintf('larder-%d-', getmypid())),
        );
        $this->host->close();
        $this->host = NetworkHost::start();
        self::assertFalse($isLeft());
        self::assertCount(1, $own);
    }

    /** @return list<string> */
    private static function names(): array
    {
        $names = scandir('/run/netns');

        return $names === false ? [] : array_values(array_diff($names, ['.', '..']));
    }

    /** @param \Closure(): mixed $call */
    private static function nanoseconds(\Closure $call): int
    {
        $start = \hrtime(true);
        $call();

        return (int) (\hrtime(true) - $start);
    }
}

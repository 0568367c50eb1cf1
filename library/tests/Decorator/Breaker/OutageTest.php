<?php

declare(strict_types=1);

namespace Larder\Tests\Decorator\Breaker;

use Larder\Cache;
use Larder\Cli\Server\MariaDbServer;
use Larder\Exception\CacheException;
use Larder\Exception\StoreFailed;
use Larder\Tests\RecordingLogger;
use Larder\Tests\Servers;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\TestCase;

/**
 * Every client of a server, with every kind of trouble in between: no call waits long, no answer is wrong or another
 * key's, the outage is logged once, and afterwards everything works again. Two caches share the connection settings:
 * one turns failures into misses, one throws.
 */
#[Group('waiting')]
final class OutageTest extends TestCase
{
    private const GENEROUS_SECONDS = 30.0;
    private const DEFAULT = 'nothing there';

    private const CLIENTS = [
        'memcached' => 'memcached://%s?timeout=0.2',
        'memcached, persistent' => 'memcached://%s?timeout=0.2&persistent=1',
        'memcache' => 'memcache://%s?timeout=0.2',
        'memcache, persistent' => 'memcache://%s?timeout=0.2&persistent=1',
        'phpredis' => 'redis://%s?timeout=0.2',
        'phpredis, persistent' => 'redis://%s?timeout=0.2&persistent=1',
        'Predis' => 'redis://%s?timeout=0.2&client=predis',
        'Predis, persistent' => 'redis://%s?timeout=0.2&client=predis&persistent=1',
        'InnoDB' => 'mysql://%s:%s@/%s?timeout=1&socket=%s',
        'MEMORY, persistent' => 'mysql://%s:%s@/%s?timeout=1&engine=memory&persistent=1&socket=%s',
    ];

    /** Modes of the proxy, and the longest time that a reply then takes. */
    private const TROUBLES = [
        'silent' => 0.0, 'late 1.2' => 1.3, 'half 3' => 0.0, 'drop 20' => 0.0, 'garbage' => 0.0, 'refuse' => 0.0,
    ];

    /** This client does not notice them; they have a test of their own. */
    private const UNNOTICED = ['phpredis, half 3'];

    /** @return iterable<string, array{string, string}> */
    public static function cases(): iterable
    {
        foreach (self::CLIENTS as $client => $address) {
            foreach (array_keys(self::TROUBLES) as $trouble) {
                $isTried = !str_contains($client, 'persistent') || str_starts_with($trouble, 'late');
                if ($isTried && !\in_array("$client, $trouble", self::UNNOTICED, true)) {
                    yield "$client, $trouble" => [$address, $trouble];
                }
            }
        }
    }

    #[DataProvider('cases')]
    public function testOutageIsCheapAndNeverReturnsWrongValues(string $address, string $trouble): void
    {
        [$proxy, $where] = self::between($address);
        $where .= '&namespace=trouble' . bin2hex(random_bytes(4));
        $values = ['a' => 'value of a' . random_bytes(300), 'b' => 'value of b' . random_bytes(300)];
        // Tries again if the machine stood still beyond a timeout of 0.2 s.
        $end = microtime(true) + self::GENEROUS_SECONDS;
        do {
            $misses = Cache::open($where . '&on_failure=miss', $log = new RecordingLogger());
            $throws = Cache::open($where . '&on_failure=throw', $log);
            $isReady = $misses->setMany($values)
                && !self::isRightOrThrown($throws, $values)
                && implode("\n", $log->entries()) === '';
        } while (!$isReady && microtime(true) < $end);
        self::assertTrue($isReady);

        $proxy->does($trouble);
        $start = microtime(true);
        $isThrown = false;
        $told = [];
        for ($call = 0; $call < 50 && $told === []; ++$call) {
            self::assertContains($misses->get('a', self::DEFAULT), [$values['a'], self::DEFAULT]);
            self::assertContains($misses->getMany(['b'], self::DEFAULT)['b'], [$values['b'], self::DEFAULT]);
            $isThrown = self::isRightOrThrown($throws, $values) || $isThrown;
            $told = $log->entries();
        }
        self::assertLessThan(
            self::GENEROUS_SECONDS,
            microtime(true) - $start,
            'from the first failure to the open breaker',
        );
        self::assertCount(1, $told);
        self::assertMatchesRegularExpression('/^warning: (memcached?|redis|mysql) at .+ is away: .+/s', $told[0]);
        $isThrown = self::isRightOrThrown($throws, $values) || $isThrown;
        self::assertTrue($isThrown);

        $start = microtime(true);
        for ($call = 0; $call < 200; ++$call) {
            self::assertContains($misses->get('a', self::DEFAULT), [$values['a'], self::DEFAULT]);
        }
        self::assertFalse($misses->set('c', 1) && $misses->get('c') !== 1, 'a set that was refused, or was done');
        self::assertLessThan(self::GENEROUS_SECONDS, microtime(true) - $start, '200 calls while it is away');

        usleep((int) (1e6 * self::TROUBLES[$trouble]));
        $proxy->does('pass');
        $end = microtime(true) + self::GENEROUS_SECONDS;
        do {
            $found = $misses->get('b', self::DEFAULT);
            self::assertContains($found, [$values['b'], self::DEFAULT]);
            self::isRightOrThrown($throws, $values);
            usleep(10_000);
        } while ($found !== $values['b'] && microtime(true) < $end);
        self::assertSame($values['b'], $found, 'it is back');
        $told = $log->entries();
        // On a busy machine there may be another outage before the server is back.
        self::assertContains(\count($told), [2, 4, 6], implode("\n", $told));
        foreach ($told as $i => $line) {
            self::assertMatchesRegularExpression(
                $i % 2 === 0 ? '/^warning: .+ is away: .+$/s' : '/^notice: .+ is back after [\d.]+ seconds$/s',
                $line,
            );
        }
        foreach ([$misses, $throws] as $cache) {
            self::assertWorks($cache, $values);
        }
        $misses->clear();
        $proxy->stop();
    }

    /**
     * Retries for a while: if the machine stands still, a timeout of 0.2 s may pass again.
     *
     * @param array{a: string, b: string} $values
     */
    private static function assertWorks(Cache $cache, array $values): void
    {
        $works = static function () use ($cache, $values): bool {
            try {
                if (!$cache->set('a', $values['a'])) {
                    return false;
                }
                $found = $cache->getMany(['a', 'b'], self::DEFAULT);
                self::assertContains($found['b'], [$values['b'], self::DEFAULT]);

                return $found === $values && $cache->set('a', 'new') && $cache->get('a') === 'new';
            } catch (CacheException $failure) {
                self::assertInstanceOf(StoreFailed::class, $failure);

                return false;
            }
        };
        $end = microtime(true) + self::GENEROUS_SECONDS;
        do {
            $isWorking = $works();
        } while (!$isWorking && microtime(true) < $end);
        self::assertTrue($isWorking);
    }

    /** @return array{Proxy, string} and the DSN that leads through it */
    private static function between(string $address): array
    {
        if (str_starts_with($address, 'mysql')) {
            $proxy = Proxy::before(Servers::mariaDb()->socket);

            return [
                $proxy,
                \sprintf(
                    $address,
                    MariaDbServer::USER,
                    Servers::mariaDb()->password,
                    MariaDbServer::DATABASE,
                    $proxy->socket,
                ),
            ];
        }
        $proxy = Proxy::before(
            str_starts_with($address, 'redis') ? Servers::redis()->socket : Servers::memcached()->socket,
        );

        return [$proxy, \sprintf($address, $proxy->socket)];
    }

    /**
     * @param array<string, string> $values
     * @return bool true if it threw
     */
    private static function isRightOrThrown(Cache $cache, array $values): bool
    {
        foreach ($values as $key => $value) {
            $found = null;

            try {
                $found = $cache->get($key, self::DEFAULT);
            } catch (CacheException $failure) {
                self::assertInstanceOf(StoreFailed::class, $failure);

                return true;
            }
            self::assertSame($value, $found);
        }

        return false;
    }
}

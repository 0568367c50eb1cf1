<?php

declare(strict_types=1);

namespace Larder\Tests\Driver\Memcached;

use Larder\Cache;
use Larder\Cli\Server\MemcachedServer;
use Larder\Contract\Capability;
use Larder\Contract\Store;
use Larder\Drivers;
use Larder\Exception\InvalidDsn;
use Larder\Exception\NotSupported;
use Larder\Internal\Driver\Memcached\BorrowedMemcached;
use Larder\Testing\AllContracts;
use Larder\Testing\StoreTestCase;
use Larder\Tests\Driver\RefusesAFork;
use Larder\Tests\RecordingLogger;
use Larder\Tests\Servers;
use PHPUnit\Framework\Attributes\Group;
use Psr\Log\NullLogger;

class BorrowedMemcachedTest extends StoreTestCase
{
    use AllContracts;
    use RefusesAFork;

    private const PREFIX = 'application.';

    protected static function isBinary(): bool
    {
        return false;
    }

    #[Group('waiting')]
    public function testConnectionThatTheServerClosedIsReplaced(): void
    {
        $server = MemcachedServer::start(
            Servers::directory('held-idle-' . (int) static::isBinary()),
            ['-o', 'idle_timeout=1'],
        );
        $caches = [];
        foreach (MemcachedTest::callsAfterAPause() as $name => $call) {
            $caches[$name] = Cache::over(static::client($server, isTcp: true), 'on_failure=throw&namespace=' . $name);
            self::assertTrue($caches[$name]->set($name, 'old'));
        }
        self::assertTrue(Servers::await(
            static fn(): bool => (int) MemcachedTest::stat($server, 'idle_kicks') >= \count($caches),
        ));
        foreach (MemcachedTest::callsAfterAPause() as $name => $call) {
            self::assertTrue($call($caches[$name]), $name);
        }
        $server->stop();
    }

    protected function open(string $namespace): Store
    {
        $server = Servers::memcached(); // otherwise a fork that connects first would start its own

        return Cache::over(static fn(): \Memcached => static::client($server), 'namespace=' . $namespace)->store();
    }

    protected function capabilities(): array
    {
        return [Capability::Atomic, Capability::Lock, Capability::Expiry];
    }

    protected function isLocal(): bool
    {
        return false;
    }

    protected function clearDelay(): float
    {
        return 0.06;
    }

    protected function tooLarge(): string
    {
        return random_bytes(2 << 20);
    }

    public function testSettingsAndConnectionOfTheApplicationStay(): void
    {
        $server = MemcachedServer::start(Servers::directory('memcached-held-' . bin2hex(random_bytes(4))));
        $client = static::client($server);
        $client->set('own', ['its', 'own']);
        $before = $this->settings($client);
        $connections = self::connections($server);
        $caches = array_map(static fn(int $n): Cache => Cache::over($client, 'namespace=held' . $n), range(1, 5));
        foreach ($caches as $cache) {
            self::assertTrue(
                $cache->set('k', str_repeat('long ', 1000)) && $cache->setMany(['l' => 1, 'm' => null], 60),
            );
            self::assertSame(
                ['k' => str_repeat('long ', 1000), 'l' => 1, 'm' => null, 'n' => 'none'],
                $cache->getMany(['k', 'l', 'm', 'n'], 'none'),
            );
            self::assertSame([4, true], [$cache->increment('l', 3), $cache->lock('lock', 5)?->release()]);
        }
        self::assertSame(['its', 'own'], $client->get('own'));
        self::assertSame($before, $this->settings($client));
        self::assertSame($connections, self::connections($server), 'of five caches and the application');
        $other = Cache::open('memcached://' . $server->socket);
        $other->set('k', 1);
        self::assertGreaterThan(
            $connections,
            self::connections($server),
            'the control: a cache with connections of its own',
        );
        self::assertTrue($caches[0]->clear());
        self::assertSame([null, ['its', 'own']], [$caches[0]->get('k'), $client->get('own')]);
        unset($caches, $cache, $other);
        self::assertSame(['its', 'own'], $client->get('own'), 'it is not closed');
        $server->stop();
    }

    public function testCachesOverOneClientSeeAClearAtOnce(): void
    {
        $client = static::client(Servers::memcached());
        [$one, $two] = [Cache::over($client, 'namespace=both'), Cache::over($client, 'namespace=both')];
        self::assertTrue($one->set('k', 1));
        self::assertSame(1, $two->get('k'));
        self::assertTrue($one->clear());
        self::assertNull($two->get('k'));
    }

    public function testAnotherPrefixIsNotWrittenTo(): void
    {
        $client = static::client(Servers::memcached());
        $log = new RecordingLogger();
        $cache = Cache::over($client, 'namespace=prefix', $log);
        self::assertTrue($cache->set('k', 1));
        $client->setOption(\Memcached::OPT_PREFIX_KEY, 'another.');
        self::assertSame([null, false, false], [$cache->get('k'), $cache->set('k', 2), $cache->delete('k')]);
        $client->setOption(\Memcached::OPT_PREFIX_KEY, self::PREFIX);
        self::assertSame([1, []], [$cache->get('k'), $log->entries()]);
        self::assertTrue($cache->clear());
    }

    public function testSettingsThatHideAnswersAreRefused(): void
    {
        foreach ([\Memcached::OPT_NOREPLY, \Memcached::OPT_BUFFER_WRITES] as $option) {
            $client = static::client(Servers::memcached());
            self::assertTrue($client->setOption($option, true));
            self::assertThrows(NotSupported::class, static fn() => Cache::over($client), 'nobody learns whether');
        }
        self::assertThrows(
            InvalidDsn::class,
            static fn() => Cache::over(static::client(Servers::memcached()), 'timeout=1'),
        );
    }

    /** With this client, sign= and classes= would promise protection that they cannot give. */
    public function testProtectionAgainstPlantedObjectsIsRefused(): void
    {
        $client = static::client(Servers::memcached());
        $cache = Cache::over($client, 'namespace=planted');
        self::assertTrue($cache->set('k', 1));
        $client->set('larder-cache:planted:~k', new Gadget());
        Gadget::$ran = 0;
        self::assertSame('miss', $cache->get('k', 'miss'));
        self::assertGreaterThan(0, Gadget::$ran, 'the extension has made the object');
        self::assertTrue($cache->set('k', 2) && $cache->swap('k', 2, 3));
        foreach (['sign=env:NAME', 'classes=none'] as $option) {
            self::assertThrows(
                NotSupported::class,
                static fn() => Cache::over($client, $option),
                'memcached://host:port',
            );
        }
    }

    public function testItemThatTheClientCannotReadIsReplaced(): void
    {
        $client = static::client(Servers::memcached());
        $cache = Cache::over($client, 'namespace=unreadable');
        self::assertTrue($cache->set('k', 1));
        $name = 'larder-cache:unreadable:~k';
        $client->setOption(\Memcached::OPT_SERIALIZER, \Memcached::SERIALIZER_PHP);
        $client->set($name, ['an array']);
        $client->setOption(\Memcached::OPT_COMPRESSION, false);
        $client->append($name, 'makes it unreadable');
        self::assertSame('miss', $cache->get('k', 'miss'));
        self::assertSame(5, $cache->increment('k', 5));
        self::assertTrue($cache->clear());
    }

    /** A process that loses a race starts over, and does not treat it as a refusal. */
    public function testSecondAddFindsWhatIsThere(): void
    {
        $held = Drivers::hold(static::client(Servers::memcached()));
        $items = new BorrowedMemcached($held);
        $items->delete(['second']);
        self::assertSame(
            [true, false, '1'],
            [$items->add('second', '1', 60), $items->add('second', '2', 60), $items->get('second')],
        );
        $items->delete(['second']);
    }

    public function testLockThatAnotherAcquiredAfterItsClearIsNotTakenFromIt(): void
    {
        $client = new class extends \Memcached {
            public ?\Closure $between = null;

            public function get(mixed $key, ?callable $cache_cb = null, mixed $get_flags = 0): mixed
            {
                $found = parent::get($key, $cache_cb, $get_flags);
                [$between, $this->between] = [$this->between, null];
                if ($between !== null) {
                    $between();
                }

                return $found;
            }
        };
        $cache = Cache::over(static::client(Servers::memcached(), client: $client), 'namespace=between');
        $other = Cache::over(static::client(Servers::memcached()), 'namespace=between');
        self::assertTrue($cache->set('k', 'value'));
        $lock = null;
        $client->between = static function () use ($other, &$lock): void {
            $other->clear();
            $lock = $other->lock('l', 60);
        };
        self::assertNull($cache->lock('l', 60));
        self::assertNotNull($lock);
        self::assertSame($lock->token, $other->lockHolder('l'));
        self::assertTrue($lock->release());
        self::assertNotNull($cache->lock('l', 60), 'the control');
    }

    public function testForkDoesNotUseTheClientOfItsParent(): void
    {
        $cache = Cache::over(static::client(Servers::memcached()), 'namespace=fork&on_failure=throw', new NullLogger());
        self::assertForkIsRefused('its parent uses the client', $cache);
    }

    /** Otherwise parent and child would receive each other's replies. */
    public function testPersistentConnectionIsNotUsedInAFork(): void
    {
        $connect = static function (): \Memcached {
            $client = new \Memcached('persistent');
            if ($client->getServerList() === []) {
                $client->addServer(Servers::memcached()->socket, 0);
            }

            return $client;
        };
        $cache = Cache::over($connect, 'namespace=persistent&on_failure=throw', new NullLogger());
        self::assertForkIsRefused("persistent connection of the client is its parent's", $cache);
    }

    public function testFailureIsLoggedAtOnce(): void
    {
        $directory = Servers::directory('memcached-held-' . bin2hex(random_bytes(4)));
        $server = MemcachedServer::start($directory);
        $log = new RecordingLogger();
        $cache = Cache::over(static::client($server), logger: $log);
        self::assertTrue($cache->set('k', 1));
        $server->stop();
        self::assertSame(['miss', false], [$cache->get('k', 'miss'), $cache->set('k', 2)]);
        self::assertCount(1, $log->entries());
        self::assertStringContainsString("the application's client", $log->entries()[0]);
    }

    /** With every setting that changes names and items. */
    protected static function client(
        MemcachedServer $server,
        bool $isTcp = false,
        \Memcached $client = new \Memcached(),
    ): \Memcached {
        $client->setOptions([
            \Memcached::OPT_BINARY_PROTOCOL => static::isBinary(),
            \Memcached::OPT_PREFIX_KEY => self::PREFIX,
            \Memcached::OPT_SERIALIZER => \Memcached::SERIALIZER_IGBINARY,
            \Memcached::OPT_COMPRESSION => true,
        ]);
        $client->addServer($isTcp ? '127.0.0.1' : $server->socket, $isTcp ? $server->port : 0);

        return $client;
    }

    /** @return array<string, mixed> */
    private function settings(\Memcached $client): array
    {
        $settings = ['servers' => $client->getServerList()];
        foreach ((new \ReflectionClass($client))->getConstants() as $name => $constant) {
            if (str_starts_with($name, 'OPT_') && \is_int($constant)) {
                $settings[$name] = @$client->getOption($constant);
            }
        }

        return $settings;
    }

    private static function connections(MemcachedServer $server): int
    {
        $observer = new \Memcached();
        $observer->addServer($server->socket, 0);
        $stats = $observer->getStats();
        $stats = reset($stats);
        self::assertIsArray($stats);
        self::assertIsInt($stats['curr_connections']);

        return $stats['curr_connections'];
    }
}

<?php

declare(strict_types=1);

namespace Larder\Tests\Driver\Memcached;

use Larder\Cache;
use Larder\Cli\Server\MemcachedServer;
use Larder\Contract\AtomicStore;
use Larder\Contract\Capability;
use Larder\Contract\Store;
use Larder\Dsn\Endpoint;
use Larder\Exception\StoreFailed;
use Larder\Exception\StoreUnavailable;
use Larder\Internal\Driver\Common\Envelope;
use Larder\Internal\Driver\Memcached\MemcachedStore;
use Larder\Internal\Driver\Memcached\TextConnection;
use Larder\Internal\Key\ReservedKey;
use Larder\Server\ConnectionSettings;
use Larder\Testing\Fork;
use Larder\Tests\Driver\DriverTestCase;
use Larder\Tests\PhpProcess;
use Larder\Tests\Servers;
use PHPUnit\Framework\Attributes\Group;

final class MemcachedTest extends DriverTestCase
{
    public static function dsn(string $namespace): string
    {
        return 'memcached://' . Servers::memcached()->socket . '?namespace=' . $namespace . Servers::PATIENTLY;
    }

    protected function capabilities(): array
    {
        return array_values(array_filter(
            Capability::cases(),
            static fn(Capability $capability): bool
                => !\in_array($capability, [Capability::Keys, Capability::Prune], true),
        ));
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

    protected function plantNeighbour(): void
    {
        self::raw(Servers::memcached()->socket)->setMulti($this->neighbours());
    }

    protected function neighbourIsThere(): bool
    {
        return self::raw(
            Servers::memcached()->socket,
        )->getMulti(array_keys($this->neighbours())) === $this->neighbours();
    }

    /**
     * @return array<string, string> keys of another program that uses the same name, and a common scheme of version
     *         counters
     */
    private function neighbours(): array
    {
        return array_fill_keys([
            $this->namespace,
            $this->namespace . ':generation',
            $this->namespace . ':version',
            $this->namespace . ':k',
            'k',
        ], 'keep');
    }

    public function testTcpConnectionWorks(): void
    {
        $cache = $this->cache('127.0.0.1:' . Servers::memcached()->port);
        self::assertTrue($cache->set('k', ['over TCP']));
        self::assertSame(['over TCP'], $cache->get('k'));
        self::assertTrue($cache->clear());
        self::assertFalse($cache->has('k'));
    }

    public function testIpVersion6ConnectionWorks(): void
    {
        $directory = Servers::directory('ipv6-memcached');
        $server = MemcachedServer::start($directory, ['-l', '::1']);
        self::assertSame(
            1,
            preg_match('/^TCP INET6: (\d+)$/m', (string) file_get_contents($directory . '/memcached.port'), $port),
        );
        $cache = $this->cache("[::1]:$port[1]");
        self::assertTrue($cache->set('k', ['over IPv6']));
        self::assertSame(['over IPv6'], $cache->get('k'));
        self::assertTrue($cache->delete('k'));
        self::assertSame(1, $cache->increment('n'));
        $server->stop();
    }

    public function testClearIsSeenByAllObjectsOfAProcess(): void
    {
        $caches = array_map(
            fn(int $n): Cache => $this->cache(Servers::memcached()->socket, '?namespace=at-once'),
            range(0, 2),
        );
        for ($i = 0; $i < 20; ++$i) {
            self::assertTrue($caches[0]->set('k', $i));
            self::assertSame([$i, $i], [$caches[1]->get('k'), $caches[2]->get('k')]);
            self::assertTrue($caches[1]->clear());
            self::assertSame(
                [null, null, null],
                array_map(static fn(Cache $cache): mixed => $cache->get('k'), $caches),
            );
            self::assertTrue($caches[2]->set('l', $i), 'and what is stored then stays');
            usleep($i % 4 === 0 ? 60_000 : 0);
            self::assertSame([$i, $i, $i], array_map(static fn(Cache $cache): mixed => $cache->get('l'), $caches));
        }
        self::assertNotNull(Fork::run(
            fn(): mixed => $this->cache(Servers::memcached()->socket, '?namespace=at-once')->get('l'),
        ));
    }

    public function testPersistentConnectionWorks(): void
    {
        foreach ([1, 2] as $time) {
            $cache = $this->cache(Servers::memcached()->socket, '?persistent=1&namespace=persistent');
            self::assertSame($time === 1 ? null : 1, $cache->get('k'));
            self::assertTrue($cache->set('k', $time));
        }
        self::assertTrue($this->open('persistent')->clear());
    }

    /**
     * @return array<string, \Closure(Cache): bool> calls on a connection that the server has closed; each returns true
     *         if it worked
     */
    public static function callsAfterAPause(): array
    {
        return [
            'get' => static fn(Cache $cache): bool => $cache->get('get') === 'old',
            'getMany' => static fn(Cache $cache): bool => $cache->getMany(['getMany']) === ['getMany' => 'old'],
            'set' => static fn(Cache $cache): bool => $cache->set('set', 'new') && $cache->get('set') === 'new',
            'setMany' => static fn(Cache $cache): bool => $cache->setMany(['setMany' => 'new']),
            'delete' => static fn(Cache $cache): bool => $cache->delete('delete') && !$cache->has('delete'),
            'deleteMany' => static fn(Cache $cache): bool => $cache->deleteMany(['deleteMany'])
                && !$cache->has('deleteMany'),
            'add' => static fn(Cache $cache): bool => $cache->add('add ', 'new'),
            'increment' => static fn(Cache $cache): bool => $cache->increment('n') === 1,
            'invalidateTags' => static fn(Cache $cache): bool => $cache->invalidateTags(['tag']),
            'lock' => static fn(Cache $cache): bool => $cache->lock('lock', 30)?->release() === true,
            'clear' => static fn(Cache $cache): bool => $cache->clear(),
        ];
    }

    /** Each call has its own connection. */
    #[Group('waiting')]
    public function testConnectionThatTheServerClosedIsReplaced(): void
    {
        $server = MemcachedServer::start(Servers::directory('idle-memcached'), ['-o', 'idle_timeout=1']);
        $caches = [];
        foreach (self::callsAfterAPause() as $name => $call) {
            $caches[$name] = $this->cache("127.0.0.1:$server->port", '?on_failure=throw&timeout=60&namespace=' . $name);
            self::assertTrue($caches[$name]->set($name, 'old'));
        }
        $busy = $this->cache("127.0.0.1:$server->port", '?on_failure=throw&timeout=60&namespace=busy');
        self::assertTrue($busy->set('busy', 'old'));
        $isClosed = Servers::await(static function () use ($server, $busy, $caches): bool {
            self::assertSame('old', $busy->get('busy'));
            usleep(200_000);

            return (int) self::stat($server, 'idle_kicks') >= \count($caches);
        });
        self::assertTrue($isClosed);
        self::assertTrue($busy->delete('busy'));
        foreach (self::callsAfterAPause() as $name => $call) {
            self::assertTrue($call($caches[$name]), $name);
        }
        $server->stop();
    }

    #[Group('waiting')]
    public function testPersistentConnectionThatTheServerClosedIsReplaced(): void
    {
        $server = MemcachedServer::start(Servers::directory('idle-kept-memcached'), ['-o', 'idle_timeout=1']);
        $open = fn(): Cache => $this->cache("127.0.0.1:$server->port", '?on_failure=throw&timeout=60&persistent=1');
        foreach (['the same object' => $cache = $open(), 'an object of the next request' => null] as $name => $next) {
            self::assertTrue($cache->set('k', 'old'));
            $kicks = (int) self::stat($server, 'idle_kicks');
            self::assertTrue(Servers::await(
                static fn(): bool => (int) self::stat($server, 'idle_kicks') >= $kicks + 1,
            ));
            $next ??= $open();
            self::assertTrue($next->delete('k'), $name);
            self::assertFalse($next->has('k'));
        }
        $server->stop();
    }

    public static function stat(MemcachedServer $server, string $name): string
    {
        $stream = stream_socket_client("tcp://127.0.0.1:$server->port");
        self::assertIsResource($stream);
        fwrite($stream, "stats\r\n");
        $stats = (string) stream_get_line($stream, 1 << 20, "END\r\n");

        return preg_match("/^STAT $name (.*)\r$/m", $stats, $stat) === 1 ? $stat[1] : '';
    }

    public function testCollidingHashIsAMiss(): void
    {
        $cache = $this->cache(Servers::memcached()->socket, '?namespace=collide');
        $cache->set('a long key' . str_repeat('.', 300), 'value');
        $raw = self::raw(Servers::memcached()->socket);
        $name = static fn(string $key): string => 'larder-cache:collide:#' . hash('xxh128', $key);
        $stored = $raw->get($name('a long key' . str_repeat('.', 300)));
        self::assertIsString($stored);
        $raw->set($name('b long key' . str_repeat('.', 300)), $stored);
        self::assertSame('value', $cache->get('a long key' . str_repeat('.', 300)));
        self::assertNull($cache->get('b long key' . str_repeat('.', 300)), 'as if both keys had one hash');
    }

    /** Within the time for which this process knows the version. */
    public function testChangesSeeAnothersClearAtOnce(): void
    {
        $cache = $this->cache(Servers::memcached()->socket, '?namespace=cleared');
        $raw = self::raw(Servers::memcached()->socket);
        $clear = static fn(): bool => $raw->set('larder-cache:cleared:version', random_bytes(8));
        $long = str_repeat('x', 2000);
        for ($try = 0; $try < 5; ++$try) {
            self::assertTrue($cache->clear());
            self::assertSame(1, $cache->increment('n'));
            self::assertTrue($clear());
            self::assertSame(1, $cache->increment('n'));

            self::assertTrue($cache->add('k', 1));
            self::assertTrue($clear());
            self::assertFalse($cache->swap('k', 1, 2));

            self::assertNull($cache->get('new'));
            self::assertTrue($clear());
            self::assertTrue($cache->add('new', 1));
            self::assertTrue($clear());
            self::assertTrue($cache->add('long', $long));
            usleep(60_000);
            self::assertFalse($cache->add('long', $long), 'every process sees what was added');
            self::assertTrue($cache->add('new', 2), 'the control: it was cleared since');
        }
    }

    public function testDeleteRemovesValueStoredAfterAnothersClear(): void
    {
        $cache = $this->cache(Servers::memcached()->socket, '?namespace=deletion');
        $other = $this->cache(Servers::memcached()->socket, '?namespace=deletion');
        for ($i = 0; $i < 5; ++$i) {
            $cache->set('seen', 1);
            $other->clear();
            $other->set('k', 'value', tags: ['tag']);
            $other->set('l', 'value');
            $cache->invalidateTags(['tag']);
            $cache->delete('l');
            self::assertSame(['k' => '-', 'l' => '-'], $other->getMany(['k', 'l'], '-'));
        }
    }

    public function testSeveralServersShareTheKeys(): void
    {
        $second = MemcachedServer::start(Servers::directory('second-memcached'));
        $addresses = ['127.0.0.1:' . Servers::memcached()->port, '127.0.0.1:' . $second->port];
        $both = $this->cache(implode(',', $addresses), '?namespace=shards');
        $values = array_map(static fn(int $n): string => 'value ' . $n, range(0, 99));
        self::assertTrue($both->setMany($values));
        self::assertSame($values, $both->getMany(array_map(strval(...), range(0, 99))));
        foreach ($addresses as $address) {
            $its = $this->cache($address, '?namespace=shards')->getMany(array_map(strval(...), range(0, 99)));
            self::assertGreaterThan(10, \count(array_filter($its, \is_string(...))));
            self::assertLessThan(90, \count(array_filter($its, \is_string(...))));
        }
        self::assertTrue($both->clear());
        self::assertSame([0 => null, 7 => null], $both->getMany(['0', '7']));
        $second->stop();
    }

    #[Group('waiting')]
    public function testStoppedServerGivesMissesUntilItReturns(): void
    {
        $directory = Servers::directory('gone-memcached');
        $server = MemcachedServer::start($directory);
        $cache = $this->cache($server->socket);
        $cache->set('k', 'value');
        $server->stop();
        self::assertGivesOnlyMisses($cache);
        self::assertSame(
            ['default', false],
            Fork::run(static fn(): array => [$cache->get('k', 'default'), $cache->clear()]),
        );
        $server = MemcachedServer::start($directory);
        self::assertNull($cache->get('k'));
        self::assertTrue(
            Servers::await(static fn(): bool => $cache->set('k', 'again')),
            'it is left alone for a while',
        );
        self::assertSame('again', $cache->get('k'));
        $server->stop();
    }

    /**
     * A fork that ends closes its inherited connection. The control: libmemcached ends the connection for its parent
     * too.
     */
    public function testForkLeavesTheConnectionOfItsParent(): void
    {
        $code = \sprintf(
            '$cache = Larder\Cache::open("memcached://%1$s?namespace=forked&on_failure=throw&persistent=1");
            $client = new Memcached();
            $client->addServer("%1$s", 0);
            $cache->set("k", "value");
            $client->set("forked", "value");
            if (pcntl_fork() === 0) {
                exit;
            }
            pcntl_wait($status);
            var_dump($cache->get("k"), $client->get("forked"));
            if (pcntl_fork() === 0) {
                var_dump($cache->get("k"));
                exit;
            }
            pcntl_wait($status);
            var_dump($cache->get("k"));',
            Servers::memcached()->socket,
        );
        self::assertSame(
            "string(5) \"value\"\nbool(false)\n" . str_repeat("string(5) \"value\"\n", 2),
            PhpProcess::run($code),
        );
    }

    /** The clocks of several machines differ. The control: a value expires by the clock of its writer. */
    public function testLeaseEndsByTheClockOfTheServer(): void
    {
        $store = $this->cache(Servers::memcached()->socket, '?namespace=leases')->store();
        $raw = self::raw(Servers::memcached()->socket);
        self::assertInstanceOf(AtomicStore::class, $store);
        $until = [];
        foreach ([ReservedKey::lease('k'), 'k'] as $key) {
            self::assertTrue($store->add($key, 'value', 1));
            self::assertTrue($store->setIf($key, static fn(): bool => true, 'value', 1));
            $stored = $raw->get('larder-cache:leases:~' . rawurlencode($key));
            self::assertIsString($stored);
            $until[] = Envelope::until(substr($stored, 8));
        }
        self::assertSame(0.0, $until[0]);
        self::assertGreaterThan(0.0, $until[1]);
        self::assertTrue(Servers::await(static fn(): bool => !$store->has(ReservedKey::lease('k'))));
    }

    /**
     * memcached's own item numbers restart with the server. The control confuses an old number with that of another
     * value.
     */
    public function testTokenIsOfNoValueAfterARestart(): void
    {
        $directory = Servers::directory('restarted-memcached');
        $server = MemcachedServer::start($directory);
        [$cache, $raw] = [$this->cache($server->socket), self::raw($server->socket)];
        $raw->set('k', 'before');
        $item = $raw->get('k', null, \Memcached::GET_EXTENDED);
        $number = \is_array($item) ? $item['cas'] : null;
        $cache->set('k', 'before');
        self::assertSame('before', $cache->getWithToken('k', null, $token));
        $server->stop();
        $server = MemcachedServer::start($directory);
        [$cache, $raw] = [$this->cache($server->socket), self::raw($server->socket)];
        $raw->set('k', 'after');
        self::assertIsInt($number);
        self::assertTrue($raw->cas($number, 'k', 'taken for another'));
        self::assertTrue(Servers::await(static fn(): bool => $cache->set('k', 'after')));
        self::assertIsString($token);
        self::assertFalse($cache->setIfUnchanged('k', $token, 'taken for another'));
        self::assertSame('after', $cache->get('k'));
        $server->stop();
    }

    /** One round trip reads, and one writes. */
    public function testTokenTakesTwoRoundTrips(): void
    {
        $server = MemcachedServer::start(Servers::directory('trips-memcached'));
        [$cache, $raw] = [$this->cache($server->socket), self::raw($server->socket)];
        for ($try = 0; $try < 20; ++$try) {
            $cache->set('k', $try);
            $cache->getWithToken('k', null, $token);
            self::assertIsString($token);
            $before = self::commands($raw);
            self::assertTrue($cache->setIfUnchanged('k', $token, 'new'));
            self::assertSame(
                3,
                self::commands($raw) - $before,
                'the server counts the version of the namespace, which is read with the value',
            );
        }
        $server->stop();
    }

    private static function commands(\Memcached $raw): int
    {
        $statistics = $raw->getStats();
        $ofServer = reset($statistics);
        [$gets, $sets] = \is_array($ofServer)
            ? [$ofServer['cmd_get'] ?? null, $ofServer['cmd_set'] ?? null]
            : [null, null];

        return \is_int($gets) && \is_int($sets) ? $gets + $sets : throw new \RuntimeException('no statistics');
    }

    public function testTimedOutConnectionIsDiscarded(): void
    {
        $server = MemcachedServer::start(Servers::directory('slow-memcached'));
        $cache = $this->cache($server->socket, '?timeout=0.2');
        $cache->setMany(['a' => 'value of a', 'b' => 'value of b']);
        $stats = array_values(self::raw($server->socket)->getStats())[0];
        self::assertIsArray($stats);
        self::assertIsInt($process = $stats['pid']);
        Servers::freeze($process);
        $start = microtime(true);
        self::assertNull($cache->get('a'));
        self::assertLessThan(10.0, microtime(true) - $start);
        posix_kill($process, \SIGCONT);
        self::assertContains($cache->get('b'), ['value of b', null]);
        $server->stop();
    }

    public function testUnreachableServerIsNamed(): void
    {
        foreach (['/nowhere/memcached.sock', '127.0.0.1:1'] as $where) {
            $unavailable = self::assertThrows(
                StoreUnavailable::class,
                $this->cache($where)->reach(...),
                'apt-get install memcached',
            );
            self::assertStringStartsWith('memcached: cannot connect to ' . $where, $unavailable->getMessage());
        }
    }

    public function testOpenBasedirAndAllowUrlFopenDoNotMatter(): void
    {
        $code = \sprintf(
            'set_error_handler(function ($level, $message) { echo $message, "\n"; return true; });
            $settings = static fn(string $socket): Larder\Server\ConnectionSettings => new Larder\Server\ConnectionSettings(Larder\Dsn\Endpoint::unix($socket), persistent: true);
            $open = static fn(string $socket): Larder\Contract\Store => new Larder\Internal\Driver\Memcached\MemcachedStore(new Larder\Internal\Driver\Memcached\TextConnection("memcached", $settings($socket)), "basedir");
            $store = $open(%s);
            foreach ([1, 2] as $time) { var_dump($store->set("k", $time), $store->get("k")); }
            try { $open("/nowhere.sock")->get("k"); } catch (Larder\Exception\StoreFailed $failure) { echo $failure->getMessage(); }',
            var_export(Servers::memcached()->socket, true),
        );
        self::assertSame(
            "bool(true)\nint(1)\nbool(true)\nint(2)\n" . 'memcached: cannot connect to /nowhere.sock: '
                . 'No such file or directory. Is memcached running there? To install it: apt-get install memcached',
            PhpProcess::run($code, ['-d', 'open_basedir=' . \dirname(__DIR__, 4), '-d', 'allow_url_fopen=0']),
        );
    }

    /**
     * The server refuses, closes the connection, or is down: no warning reaches the handler, not even a silenced one.
     */
    public function testNoWarningReachesTheApplication(): void
    {
        $server = MemcachedServer::start(Servers::directory('warnings-memcached'));
        $store = $this->store(Endpoint::unix($server->socket));
        self::failure(static fn(): bool => $store->set('k', 'value'), $store); // opens the connection
        $warnings = [];
        set_error_handler(static function (int $level, string $message) use (&$warnings): bool {
            $warnings[] = $message;

            return true;
        });
        try {
            $server->stop();
            foreach ([
                $store,
                $store,
                $this->store(Endpoint::tcp('127.0.0.1', 1)),
                $this->store(Endpoint::tcp('::1', 1)),
                $this->store(Endpoint::tcp('no-such-host.invalid', 1)),
            ] as $away) {
                self::assertNotSame('none', self::failure(static fn(): mixed => $away->get('k'), $away));
                self::assertNotSame('none', self::failure(static fn(): bool => $away->clear(), $away));
            }
        } finally {
            restore_error_handler();
        }
        self::assertSame([], $warnings);
    }

    public function testFailureNamesOperationServerAndReason(): void
    {
        $server = MemcachedServer::start(Servers::directory('reasons-memcached'));
        $calls = [
            'get' => static fn(Store $store): mixed => $store->get('k'),
            'clear' => static fn(Store $store): bool => $store->clear(),
        ];
        $stats = array_values(self::raw($server->socket)->getStats())[0];
        self::assertIsArray($stats);
        self::assertIsInt($process = $stats['pid']);
        $said = [];
        foreach ($calls as $call => $work) {
            $stopped = $this->store(Endpoint::unix($server->socket));
            self::failure(static fn(): mixed => $stopped->get('k'), $stopped); // opens the connection
            Servers::freeze($process);
            $said["$call, stopped"] = self::failure($work, $stopped);
            posix_kill($process, \SIGCONT);
        }
        $server->stop();
        foreach ($calls as $call => $work) {
            $said["$call, gone"] = self::failure($work, $this->store(Endpoint::unix($server->socket)));
        }
        $where = preg_quote($server->socket, '~');
        foreach ($said as $case => $message) {
            self::assertMatchesRegularExpression(match (true) {
                str_ends_with(
                    $case,
                    'stopped',
                ) => "~^memcached: no reply from $where within 0\.2 s \(is it overloaded, or timeout= too short\?\)$~D",
                default => "~^memcached: cannot connect to $where: (No such file or directory|Connection refused)(\. "
                    . "Is memcached running there\? .*)?$~D",
            }, $message, $case);
        }
    }

    /** @param \Closure(Store): mixed $work */
    private static function failure(\Closure $work, Store $store): string
    {
        try {
            $work($store);
        } catch (StoreFailed $failure) {
            return $failure->getMessage();
        }

        return 'none';
    }

    private function store(Endpoint $endpoint): Store
    {
        return new MemcachedStore(new TextConnection('memcached', new ConnectionSettings($endpoint, 0.2, 0.2)));
    }

    private function cache(string $where, string $options = ''): Cache
    {
        return Cache::open(Servers::patiently(\sprintf('memcached://%s%s', $where, $options)));
    }

    private static function raw(string $socket): \Memcached
    {
        $raw = new \Memcached();
        $raw->setOption(\Memcached::OPT_COMPRESSION, false);
        $raw->addServer($socket, 0);

        return $raw;
    }
}

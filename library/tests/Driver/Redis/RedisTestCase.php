<?php

declare(strict_types=1);

namespace Larder\Tests\Driver\Redis;

use Larder\Cache;
use Larder\Cli\Server\RedisServer;
use Larder\Exception\StoreFailed;
use Larder\Exception\StoreUnavailable;
use Larder\Internal\Driver\Redis\Rights;
use Larder\Internal\Key\NamespaceName;
use Larder\Internal\Key\ReservedKey;
use Larder\Testing\Fork;
use Larder\Tests\Driver\DriverTestCase;
use Larder\Tests\PhpProcess;
use Larder\Tests\RecordingLogger;
use Larder\Tests\Servers;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\ExpectationFailedException;

/** Tests for both Redis clients. */
abstract class RedisTestCase extends DriverTestCase
{
    /**
     * A persistent connection of another program through the same client.
     *
     * @return array{string, string, string, string} code that connects $client, logs in as the user "other" and selects
     *         the database 3, and an expression for the server's view of it
     */
    abstract protected function programsConnection(string $host, int $port): array;

    /** Keys of a program that does not use Larder, but the namespace's name. */
    private const NEIGHBOURS = [
        'contract' => 'keep', 'contract:cart:7' => 'keep', 'xcontract:k' => 'keep', 'other:k' => 'keep',
        'larder:contract:k' => 'keep',
    ];

    /** The value of ?client=. */
    abstract protected static function client(): string;

    public static function dsn(string $namespace): string
    {
        return \sprintf('redis://%s?client=%s&namespace=%s', Servers::redis()->socket, static::client(), $namespace)
            . Servers::PATIENTLY;
    }

    protected function isLocal(): bool
    {
        return false;
    }

    protected function tooLarge(): string
    {
        return random_bytes(2 << 20);
    }

    protected function plantNeighbour(): void
    {
        self::assertTrue(self::raw()->mset(self::NEIGHBOURS));
    }

    protected function neighbourIsThere(): bool
    {
        $raw = self::raw();

        return array_map(static fn(string $name): mixed => $raw->get($name), array_keys(self::NEIGHBOURS))
            === array_values(self::NEIGHBOURS);
    }

    public function testTcpAndSocketReachTheSameValues(): void
    {
        $socket = $this->cache(Servers::redis()->socket);
        $tcp = $this->cache('127.0.0.1:' . Servers::redis()->port);
        $socket->set('k', ['both ways']);
        self::assertSame(['both ways'], $tcp->get('k'));
        self::assertTrue($tcp->clear());
        self::assertFalse($socket->has('k'));
    }

    public function testPersistentConnectionWorks(): void
    {
        foreach ([1, 2] as $time) {
            $cache = $this->cache(Servers::redis()->socket, '&persistent=1&namespace=persistent');
            self::assertSame($time === 1 ? null : 1, $cache->get('k'));
            self::assertTrue($cache->set('k', $time));
        }
        self::assertTrue($this->open('persistent')->clear());
    }

    /** @return iterable<string, array{string, bool, list<string>}> */
    public static function waysToPersist(): iterable
    {
        yield 'a socket' => ['', true, []];
        yield 'TCP' => ['', false, []];
        yield 'TCP without pools' => ['', false, ['-d', 'redis.pconnect.pooling_enabled=0']];
        yield 'TCP as another user' => ['other:word@', false, []];
    }

    /** @param list<string> $options of php */
    #[DataProvider('waysToPersist')]
    public function testApplicationsPersistentConnectionsAreNotShared(
        string $login,
        bool $isSocket,
        array $options,
    ): void {
        $raw = self::raw();
        $raw->rawcommand('ACL', 'SETUSER', 'other', 'on', '>word', '~*', '+@all');
        [$host, $port] = $isSocket ? [Servers::redis()->socket, 0] : ['127.0.0.1', Servers::redis()->port];
        $address = \sprintf(
            'redis://%s%s?client=%s&persistent=1&database=3',
            $login,
            $isSocket ? $host : "$host:$port",
            static::client(),
        );
        $larder = \sprintf(
            '$cache = Larder\Cache::open(%s); echo (int) $cache->set("k", 1); unset($cache);',
            var_export($address, true),
        );
        [$connect, $logIn, $select, $tell] = $this->programsConnection($host, $port);
        $said = static fn(string $before): string
            => PhpProcess::run(\sprintf('%s %s echo %s;', $before, $connect, $tell), $options);
        self::assertMatchesRegularExpression('/^1id=.* db=0 .*user=default/s', $said($larder));
        if ($isSocket && static::client() === 'predis') {
            return; // it cannot name those, so none is persistent
        }
        $shared = \sprintf('%s %s %s unset($client);', $connect, $login === '' ? '' : $logIn, $select);
        self::assertMatchesRegularExpression(
            \sprintf('/^id=.* db=3 .*user=%s/s', $login === '' ? 'default' : 'other'),
            $said($shared),
            'the control: as the store shared it before',
        );
    }

    public function testListReadsNoWholeValues(): void
    {
        $cache = $this->cache(Servers::redis()->socket, '&namespace=listed');
        self::assertTrue($cache->setMany(array_fill_keys(range(1, 20), random_bytes(100_000))));
        $sent = static function (): int {
            $bytes = self::raw()->info('stats')['total_net_output_bytes'] ?? null;

            return is_numeric($bytes) ? (int) $bytes : self::fail('the server does not count what it sends');
        };
        $before = $sent();
        $keys = $cache->remember('computed', 60, static fn(): array => [...$cache->keys()]); // without the placeholder
        sort($keys);
        self::assertSame(array_map(strval(...), range(1, 20)), array_map(strval(...), $keys), 'keys');
        self::assertLessThan(50_000, $sent() - $before);
        $before = $sent();
        $cache->getMany(array_map(strval(...), range(1, 20)));
        self::assertGreaterThan(2_000_000, $sent() - $before, 'the control');
        self::assertTrue($cache->clear());
    }

    public function testDatabasesAreSeparate(): void
    {
        $one = $this->cache(Servers::redis()->socket, '&database=1');
        $two = $this->cache(Servers::redis()->socket, '&database=2');
        $one->set('k', 1);
        self::assertNull($two->get('k'));
        self::assertThrows(
            StoreUnavailable::class,
            $this->cache(Servers::redis()->socket, '&database=999')->reach(...),
            'the server does not have the database of the option database',
        );
    }

    /** Proxies such as twemproxy have one database, and do not know the command. */
    public function testFirstDatabaseNeedsNoSelect(): void
    {
        self::raw()->rawcommand('ACL', 'SETUSER', 'proxied', 'on', 'nopass', '~*', '+@all', '-select');
        foreach (['', '&persistent=1'] as $persistent) {
            $dsn = \sprintf(
                'redis://proxied@127.0.0.1:%d?client=%s%s',
                Servers::redis()->port,
                static::client(),
                $persistent,
            );
            self::assertTrue(Cache::open(Servers::patiently($dsn))->set('proxied', 1));
            self::assertThrows(
                StoreUnavailable::class,
                Cache::open(Servers::patiently($dsn . '&database=1'))->reach(...),
                'select',
            );
        }
    }

    /** A persistent connection of another database is never used. */
    public function testPersistentConnectionsKeepTheirDatabase(): void
    {
        $open = fn(int $database): Cache
            => $this->cache('127.0.0.1:' . Servers::redis()->port, "&persistent=1&namespace=kept&database=$database");
        foreach ([3, 0, 3, 0] as $database) {
            self::assertTrue($open($database)->set('k', $database));
        }
        self::assertSame([0, 3, 0], [$open(0)->get('k'), $open(3)->get('k'), $open(0)->get('k')]);
    }

    public function testSeveralServersShareTheKeys(): void
    {
        $second = RedisServer::start(Servers::directory('redis-2-' . static::client()));
        $addresses = [Servers::redis()->socket, $second->socket];
        $both = $this->cache(implode(',', $addresses), '&namespace=shards');
        $values = array_map(static fn(int $n): string => 'value ' . $n, range(0, 99));
        self::assertTrue($both->setMany($values));
        self::assertSame($values, $both->getMany(array_map(strval(...), range(0, 99))));
        self::assertSame(
            'value 7',
            $this->cache(implode(',', array_reverse($addresses)), '&namespace=shards')->get('7'),
        );
        foreach ($addresses as $address) {
            $its = $this->cache($address, '&namespace=shards')->getMany(array_map(strval(...), range(0, 99)));
            self::assertGreaterThan(10, \count(array_filter($its, \is_string(...))));
            self::assertLessThan(90, \count(array_filter($its, \is_string(...))));
        }
        self::assertTrue($both->delete('7'));
        self::assertFalse($both->has('7'));
        self::assertTrue($both->set('7', 'again', 60));
        self::assertTrue($both->clear());
        self::assertSame([0 => null, 7 => null], $both->getMany(['0', '7']));
        $second->stop();
    }

    public function testFullServerRefusesAndDropsTheOldValue(): void
    {
        $server = RedisServer::start(Servers::directory('redis-full-' . static::client()), ['--maxmemory', '3mb']);
        $cache = $this->cache($server->socket);
        $i = 0;
        while ($cache->set('k' . $i, random_bytes(50_000))) {
            ++$i;
        }
        self::assertGreaterThan(3, $i);
        self::assertTrue($cache->has('k0'));
        self::assertFalse($cache->set('k0', random_bytes(50_000)));
        self::assertFalse($cache->has('k0'));
        self::assertFalse($cache->setMany(['k1' => random_bytes(50_000), 'k2' => random_bytes(500_000)]));
        self::assertFalse($cache->has('k2'));
        $refused = $cache->failures()['not stored'];
        while ($cache->lock('l' . $i, 5) !== null) {
            ++$i;
        }
        self::assertSame(['not stored' => $refused + 1], $cache->failures());
        self::assertTrue($cache->clear());
        self::assertTrue($cache->set('k', 'goes again'));
        self::assertNotNull($cache->lock('l', 5));
        self::assertNull($cache->lock('l', 5), 'it is held, which is no refusal');
        self::assertSame(['not stored' => $refused + 1], $cache->failures());
        $server->stop();
    }

    public function testStoppedServerGivesMissesUntilItReturns(): void
    {
        $directory = Servers::directory('redis-gone-' . static::client());
        $server = RedisServer::start($directory);
        $cache = $this->cache($server->socket);
        $cache->set('k', 'value');
        $server->stop();
        self::assertGivesOnlyMisses($cache);
        $server = RedisServer::start($directory);
        self::assertNull($cache->get('k'));
        Servers::await(static fn(): bool => $cache->set('k', 'again')); // the breaker is open for a while
        self::assertSame('again', $cache->get('k'));
        $server->stop();
    }

    public function testTimedOutConnectionIsDiscarded(): void
    {
        $server = RedisServer::start(Servers::directory('redis-slow-' . static::client()));
        $cache = $this->cache($server->socket, '&timeout=1');
        self::assertTrue(Servers::await(
            static fn(): bool => $cache->setMany(['a' => 'value of a', 'b' => 'value of b']),
        ));
        $process = self::raw($server->socket)->info()['process_id'];
        self::assertIsNumeric($process);
        $process = (int) $process;
        Servers::freeze($process);
        $start = microtime(true);
        self::assertNull($cache->get('a'));
        self::assertLessThan(10.0, microtime(true) - $start);
        posix_kill($process, \SIGCONT);
        // A timeout of a second may pass again if the machine stands still, but no answer is another key's.
        self::assertTrue(Servers::await(static function () use ($cache): bool {
            self::assertContains($value = $cache->get('b'), ['value of b', null]);

            return $value !== null;
        }));
        $server->stop();
    }

    public function testPasswordIsRequiredAndAccepted(): void
    {
        $server = RedisServer::start(Servers::directory('redis-password-' . static::client()));
        self::raw($server->socket)->rawcommand('ACL', 'SETUSER', 'default', 'resetpass', '>p@ss:w/rd');
        $cache = Cache::open(
            Servers::patiently(\sprintf('redis://:p%%40ss%%3Aw%%2Frd@%s?client=%s', $server->socket, static::client())),
        );
        self::assertTrue($cache->set('k', 1));
        $cases = [
            '' => 'the server asks for a password (NOAUTH',
            ':pzqxw@' => 'the server refuses the user name or the password (WRONGPASS',
            'nobody:pzqxw@' => 'the server refuses the user name or the password (WRONGPASS',
            'nobody@' => 'the server refuses the user name or the password (WRONGPASS',
        ];
        foreach ($cases as $login => $words) {
            $cache = Cache::open(Servers::patiently(
                \sprintf('redis://%s127.0.0.1:%d?client=%s', $login, $server->port, static::client()),
            ));
            $unavailable = self::assertThrows(StoreUnavailable::class, $cache->reach(...));
            self::assertStringStartsWith(
                \sprintf('redis: no connection to 127.0.0.1:%d: %s', $server->port, $words),
                $unavailable->getMessage(),
            );
            for ($error = $unavailable; $error !== null; $error = $error->getPrevious()) {
                self::assertStringNotContainsString('pzqxw', $error->getMessage() . print_r($error->getTrace(), true));
            }
        }
        $log = new RecordingLogger();
        $cache = Cache::open(
            Servers::patiently(\sprintf('redis://:pzqxw@%s?client=%s', $server->socket, static::client())),
            $log,
        );
        self::assertSame([null, null, null], [$cache->get('k'), $cache->get('k'), $cache->get('k')]);
        self::assertCount(1, $log->entries());
        self::assertStringContainsString('refuses this client: no connection', $log->entries()[0]);
        self::assertStringNotContainsString('pzqxw', $log->entries()[0]);
        self::raw($server->socket, 'p@ss:w/rd')->rawcommand('ACL', 'SETUSER', 'free', 'on', 'nopass', '~*', '+@all');
        self::raw($server->socket, 'p@ss:w/rd')
            ->rawcommand('ACL', 'SETUSER', 'blind', 'on', 'nopass', '~*', '+@all', '-get');
        $cache = Cache::open(
            Servers::patiently(\sprintf('redis://free@%s?client=%s', $server->socket, static::client())),
        );
        self::assertTrue($cache->set('who', 1));
        $cache = Cache::open(Servers::patiently(
            \sprintf('redis://blind@%s?client=%s&on_failure=throw', $server->socket, static::client()),
        ));
        self::assertThrows(StoreFailed::class, static fn() => $cache->get('who'), 'NOPERM');
        $server->stop();
    }

    /** Otherwise an attacker who can write to the server could make every process wait forever. */
    public function testInvalidLockDoesNotBlock(): void
    {
        putenv('LARDER_TESTS_LOCKS=' . str_repeat('k', 64));
        $namespace = 'planted-' . static::client();
        $cache = Cache::open(\sprintf(
            'redis://%s?client=%s&namespace=%s&sign=env:LARDER_TESTS_LOCKS%s',
            Servers::redis()->socket,
            static::client(),
            $namespace,
            Servers::PATIENTLY,
        ));
        $name = NamespaceName::prefix($namespace) . ReservedKey::lock('l');
        self::raw()->set($name, serialize('ByTime 9999999999.0 planted'));
        $lock = $cache->lock('l', 30);
        self::assertNotNull($lock, 'a forged one');
        self::assertNull($cache->lock('l', 30), 'the control: its own holds');
        self::assertTrue($lock->release());
        foreach (['rPush', 'sAdd'] as $command) {
            self::raw()->rawcommand($command, $name, 'planted');
            self::assertTrue($cache->lock('l', 20)?->release(), $command);
        }
        $cache->clear();
    }

    /** Redis repeats the arguments of an unknown command. */
    public function testPasswordEchoedByTheServerIsNotQuoted(): void
    {
        $server = RedisServer::start(
            Servers::directory('redis-without-auth-' . static::client()),
            ['--rename-command', 'AUTH', ''],
        );
        foreach ([':pzqxw@', 'shop:pzqxw@'] as $login) {
            $log = new RecordingLogger();
            $address = Servers::patiently(
                \sprintf('redis://%s%s?client=%s', $login, $server->socket, static::client()),
            );
            $cache = Cache::open($address, $log);
            self::assertSame([null, null], [$cache->get('k'), $cache->get('k')]);
            $failures = [implode("\n", $log->entries())];
            foreach ([
                static fn() => $cache->reach(),
                static fn() => Cache::open($address . '&on_failure=throw')->get('k'),
            ] as $call) {
                try {
                    $call();
                    self::fail('let in');
                } catch (StoreUnavailable|StoreFailed $failure) {
                    $failures[] = (string) $failure;
                }
            }
            self::assertStringNotContainsString('pzqxw', implode("\n", $failures));
            self::assertStringContainsString('ERR unknown command AUTH', implode("\n", $failures));
        }
        $server->stop();
    }

    public function testDocumentedPermissionsSuffice(): void
    {
        $page = (string) file_get_contents(\dirname(__DIR__, 4) . '/docs/stores.md');
        self::assertSame(
            1,
            preg_match('/An ACL user needs the commands ([A-Z, ]+) and EVAL on `(~\S+)`/', $page, $rights),
        );
        $commands = array_map(
            static fn(string $name): string => '+' . strtolower($name),
            [...explode(', ', $rights[1]), 'EVAL', 'SELECT'],
        );
        self::assertSame(
            array_keys(Rights::commands(null, true)),
            [...explode(', ', $rights[1]), 'EVAL', 'SELECT'],
            'those that the doctor looks for',
        );
        self::raw()->rawcommand('ACL', 'SETUSER', 'narrow', 'reset', 'on', '>word', $rights[2], ...$commands);
        self::raw()->rawcommand('ACL', 'LOG', 'RESET');
        self::useEverything();
        self::assertSame([], self::raw()->rawcommand('ACL', 'LOG'));
        foreach (array_keys(Rights::commands(null, true)) as $command) {
            self::raw()->rawcommand('ACL', 'SETUSER', 'narrow', '-' . $command);
            try {
                self::useEverything();
            } catch (StoreFailed|StoreUnavailable|ExpectationFailedException) {
                // some calls work without the right, some fail
            }
            self::assertNotSame([], self::raw()->rawcommand('ACL', 'LOG'), "nothing needs $command");
            self::raw()->rawcommand('ACL', 'SETUSER', 'narrow', '+' . $command);
            self::raw()->rawcommand('ACL', 'LOG', 'RESET');
        }
        self::useEverything();
        self::assertSame([], self::raw()->rawcommand('ACL', 'LOG'));
    }

    /** Like a user with few rights, each of which is needed for something. */
    private static function useEverything(): void
    {
        self::raw()->rawcommand('SCRIPT', 'FLUSH');
        $raw = self::raw();
        $raw->select(1);
        $raw->del(['larder-cache:narrow:none', ...$raw->keys('larder-cache:narrow:*')]); // left by a run that failed
        $log = new RecordingLogger();
        $cache = Cache::open(
            \sprintf(
                'redis://narrow:word@%s?client=%s&namespace=narrow&database=1&on_failure=throw%s',
                Servers::redis()->socket,
                static::client(),
                Servers::PATIENTLY,
            ),
            $log,
        );
        $cache->reach();
        self::assertTrue(
            $cache->set('k', 1) && $cache->set('l', 1, 60) && $cache->setMany(['m' => 1], 60)
                && $cache->setMany(['n' => 1]),
        );
        self::assertSame(
            [1, ['l' => 1, 'm' => 1], true],
            [$cache->get('k'), $cache->getMany(['l', 'm']), $cache->has('n')],
        );
        self::assertTrue(
            $cache->add('o', 1) && $cache->replace('o', 2) && $cache->touch('o', 60) && $cache->touch('o', 0)
                && $cache->swap('o', 2, 3),
        );
        self::assertSame(
            [4, 1, 5],
            [$cache->increment('o'), $cache->increment('p', first: 0), \count([...$cache->keys()]) - 1],
        );
        self::assertGreaterThan(microtime(true), $cache->expiry('l'));
        self::assertSame(7, $cache->increment('s', 7, ttl: 60));
        self::assertTrue($cache->lock('q', 10)?->release());
        $made = $cache->remember('r', 60, static fn(): string => bin2hex(random_bytes(4)), tags: ['t']);
        self::assertSame($made, $cache->get('r'));
        self::assertTrue($cache->invalidateTags(['t']) && $cache->delete('k') && $cache->clear());
        self::assertSame([[], false], [$log->entries(), $cache->has('l')]);
    }

    /** The control: for the server, a signed integer is no integer. */
    public function testServerCountsWhatEveryCodecStores(): void
    {
        putenv('LARDER_TESTS_COUNTERS=' . str_repeat('k', 64));
        $raw = self::raw();
        $name = NamespaceName::prefix('counters') . 'n';
        foreach ([
            'serializer=php' => 7,
            'serializer=igbinary' => 7,
            'serializer=json&compress=zlib&compress_from=0' => 7,
            'sign=env:LARDER_TESTS_COUNTERS' => false,
        ] as $options => $counted) {
            $cache = $this->cache(Servers::redis()->socket, '&namespace=counters&' . $options);
            self::assertTrue($cache->set('n', 5, 60));
            self::assertSame(6, $cache->increment('n'), $options);
            self::assertSame($counted, $raw->incr($name), $options);
            self::assertSame($counted === false ? 6 : 7, $cache->get('n'), $options);
            self::assertSame(-\PHP_INT_MAX, $cache->increment('least', first: \PHP_INT_MIN), $options);
            self::assertGreaterThan(50_000, $raw->pttl($name), 'the ttl stays');
            $cache->clear();
        }
    }

    public function testCounterOfOthersIsCountedOrRefused(): void
    {
        $raw = self::raw();
        $name = NamespaceName::prefix('counters') . 'n';
        $cache = $this->cache(Servers::redis()->socket, '&namespace=counters');
        foreach ([
            'i:5;' => 6, '5' => 6, '-1' => 0, '9223372036854775807' => false, '9223372036854775808' => false,
            '5.0' => false, ' 5' => false, '05' => false, '"5"' => false, 'text' => false, '' => 1,
        ] as $stored => $sum) {
            $raw->set($name, (string) $stored);
            self::assertSame($sum, $cache->increment('n'), "'$stored'");
            self::assertSame($sum === false ? (string) $stored : (string) $sum, $raw->get($name), "'$stored'");
        }
        $raw->del($name);
        $raw->rPush($name, 'a list');
        self::assertFalse($cache->increment('n'));
        self::assertFalse($cache->increment('n', ttl: 60));
        $raw->del($name);
        self::assertFalse($cache->increment('n', \PHP_INT_MAX, first: 1));
        self::assertFalse($cache->has('n'));
    }

    public function testEightProcessesCountExactly(): void
    {
        $cache = $this->cache(Servers::redis()->socket, '&namespace=counters' . Servers::PATIENTLY);
        $forks = array_map(fn(int $process): Fork => Fork::start(function () use ($process): int {
            $cache = $this->cache(Servers::redis()->socket, '&namespace=counters' . Servers::PATIENTLY);
            $rounds = 500;
            for ($i = 0; $i < $rounds; ++$i) {
                $cache->increment('sum', $process % 2 === 0 ? 3 : -1);
                $cache->increment('short', ttl: 60);
            }

            return $rounds;
        }), range(0, 7));
        foreach ($forks as $fork) {
            self::assertSame(500, $fork->result());
        }
        self::assertSame([4000, 4000], [$cache->get('sum'), $cache->get('short')]);
        self::assertSame(0.0, $cache->expiry('sum'));
        self::assertGreaterThan(microtime(true), $cache->expiry('short'));
        $cache->clear();
    }

    /** PHP's own warning would fail the test. */
    public function testUnknownHostIsNamed(): void
    {
        $unavailable = self::assertThrows(StoreUnavailable::class, $this->cache('nowhere.invalid')->reach(...));
        self::assertStringStartsWith(
            'redis: no connection to nowhere.invalid:6379: the name of the host cannot be resolved (',
            $unavailable->getMessage(),
        );
    }

    public function testForbiddenSocketIsNamed(): void
    {
        $directory = Servers::directory('redis-forbidden-' . static::client());
        $server = RedisServer::start($directory);
        chmod(\dirname($directory), 0o711);
        $code = <<<'PHP'
            $say = function (string $address): string {
                try {
                    Larder\Cache::open($address)->reach();

                    return 'reached';
                } catch (Larder\Exception\StoreUnavailable $none) {
                    return $none->getMessage();
                }
            };
            $say('redis:///nowhere.sock?client=%2$s'); // loads the classes, which the other user may not read
            posix_setegid(65534);
            posix_seteuid(65534);
            echo $say('redis://%1$s?client=%2$s');
            PHP;
        $said = PhpProcess::run(\sprintf($code, $server->socket, static::client()));
        chmod(\dirname($directory), 0o700);
        $server->stop();
        if (posix_geteuid() !== 0) {
            self::markTestSkipped('only root can become another user');
        }
        self::assertStringContainsString('permission denied (', $said);
        self::assertStringContainsString('in the group that may use the socket?', $said);
    }

    public function testUnreachableServerIsNamed(): void
    {
        foreach (['/nowhere/redis.sock', '127.0.0.1:1'] as $where) {
            $unavailable = self::assertThrows(
                StoreUnavailable::class,
                $this->cache($where)->reach(...),
                'apt-get install redis-server',
            );
            self::assertStringStartsWith('redis: no connection to ' . $where, $unavailable->getMessage());
        }
    }

    /** The connection was opened, so the message must not ask to install Redis. */
    public function testServerThatAnswersNothingIsNamedAsSuch(): void
    {
        $server = stream_socket_server('tcp://127.0.0.1:0');
        self::assertNotFalse($server);
        $where = (string) stream_socket_get_name($server, false);
        $mute = Cache::open(\sprintf('redis://%s?client=%s&timeout=0.3', $where, static::client()));
        $unavailable = self::assertThrows(StoreUnavailable::class, $mute->reach(...), 'Is it overloaded?');
        self::assertStringStartsWith("redis: no connection to $where: the server answers nothing (", $unavailable->getMessage());
    }

    private function cache(string $where, string $options = ''): Cache
    {
        return Cache::open(Servers::patiently(\sprintf('redis://%s?client=%s%s', $where, static::client(), $options)));
    }

    private static function raw(?string $socket = null, string $password = ''): \Redis
    {
        $raw = new \Redis();
        $raw->connect($socket ?? Servers::redis()->socket);
        if ($password !== '') {
            $raw->auth($password);
        }

        return $raw;
    }
}

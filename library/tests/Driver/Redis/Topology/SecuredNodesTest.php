<?php

declare(strict_types=1);

namespace Larder\Tests\Driver\Redis\Topology;

use Larder\Cache;
use Larder\Dsn\Endpoint;
use Larder\Exception\StoreUnavailable;
use Larder\Testing\AssertsThrows;
use Larder\Tests\RecordingLogger;
use Larder\Tests\Server\Certificates;
use Larder\Tests\Servers;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

/** A cluster of two masters, and a master with a sentinel that has a login of its own: by TLS, with users. */
final class SecuredNodesTest extends TestCase
{
    use AssertsThrows;

    private const SENTINEL_PASSWORD = 'zqxw vkjy';

    private static Certificates $ca;
    private static RedisNodes $cluster;
    private static RedisNodes $watched;

    public static function setUpBeforeClass(): void
    {
        self::$ca = new Certificates(Servers::directory('secured-ca'));
        self::$cluster = RedisNodes::cluster(Servers::directory('secured-cluster'), 2, 0, self::$ca);
        self::$watched = RedisNodes::watched(
            Servers::directory('secured-watched'),
            0,
            1,
            self::$ca,
            self::SENTINEL_PASSWORD,
        );
    }

    public static function tearDownAfterClass(): void
    {
        self::$cluster->stop();
        self::$watched->stop();
    }

    /** @return iterable<string, array{string}> */
    public static function clients(): iterable
    {
        yield 'phpredis' => ['phpredis'];
        yield 'Predis' => ['predis'];
    }

    #[DataProvider('clients')]
    public function testEveryServerIsReachedByTls(string $client): void
    {
        $this->user('resetpass', '>one');
        $cache = Cache::open($this->cluster('shop:one@', $client));
        $cache->reach();
        $values = array_fill_keys(self::keys(), 'v');
        self::assertTrue($cache->setMany($values, 60));
        self::assertSame($values, $cache->getMany(self::keys()));
        foreach (self::$cluster->ports() as $port) {
            preg_match_all(
                '/ laddr=\S+:(\d+) .* user=shop /',
                (string) self::$cluster->text($port, 'CLIENT', 'LIST'),
                $ports,
            );
            self::assertSame([(string) self::$cluster->clientPort($port)], array_values(array_unique($ports[1])));
        }
        self::assertThrows(
            StoreUnavailable::class,
            Cache::open(str_replace(
                'rediss',
                'redis',
                (string) preg_replace('~&tls_ca_file=[^&]*~', '', $this->cluster('shop:one@', $client)),
            ))->reach(...),
            'no answer from',
        );
    }

    /** The other server proves its identity, so its keys are served. */
    #[DataProvider('clients')]
    public function testServerOfTheMapThatIsAnotherIsSentNothing(string $client): void
    {
        $this->user('resetpass', '>zqxwvkjy');
        [$honest, $other] = self::$cluster->ports();
        $log = new RecordingLogger();
        $dsn = $this->cluster('shop:zqxwvkjy@', $client, [$honest]);
        self::assertTrue(Cache::open($dsn)->setMany(array_fill_keys(self::keys(), 'v')));
        [$certificate, $key] = $this->setting($other);
        [$wrongCertificate, $wrongKey] = self::$ca->issue('DNS:other.example');
        self::$cluster->ask($other, 'CONFIG', 'SET', 'tls-cert-file', $wrongCertificate, 'tls-key-file', $wrongKey);

        try {
            self::$cluster->ask($other, 'ACL', 'LOG', 'RESET');
            self::$cluster->ask($other, 'CLIENT', 'KILL', 'USER', 'shop');
            $cache = Cache::open($dsn, $log);
            for ($time = 0; $time < 3; ++$time) {
                $found = array_filter($cache->getMany(self::keys()), is_string(...));
                self::assertNotSame([], $found);
                self::assertNotCount(\count(self::keys()), $found);
            }
            self::assertSame([], self::$cluster->ask($other, 'ACL', 'LOG'));
            self::assertStringNotContainsString('user=shop', (string) self::$cluster->text($other, 'CLIENT', 'LIST'));
            $refused = self::assertThrows(
                StoreUnavailable::class,
                $cache->reach(...),
                'the certificate of the server is for DNS:other.example, and not for 127.0.0.1',
            );
            self::assertCount(1, $log->entries());
            self::assertStringContainsString('DNS:other.example', $log->entries()[0]);
            self::assertStringNotContainsString('zqxw', $refused . implode($log->entries()));
        } finally {
            self::$cluster->ask($other, 'CONFIG', 'SET', 'tls-cert-file', $certificate, 'tls-key-file', $key);
        }
        self::assertTrue(
            Servers::await(
                static fn(): bool
                    => \count(array_filter($cache->getMany(self::keys()), is_string(...))) === \count(self::keys()),
            ),
            'the control: with its own certificate it is used again',
        );
    }

    #[DataProvider('clients')]
    public function testRotatedPasswordReachesEveryServer(string $client): void
    {
        $file = Servers::directory('secured-secrets') . "/$client";
        file_put_contents($file, "one\n");
        $this->user('resetpass', '>one');
        $log = new RecordingLogger();
        $cache = Cache::open($this->cluster('shop@', $client) . "&password_file=$file", $log);
        $values = array_fill_keys(self::keys(), 'v');
        self::assertTrue($cache->setMany($values, 60));
        $this->user('>two');
        file_put_contents($file, 'two');
        $this->user('<one');
        foreach (self::$cluster->ports() as $port) {
            self::$cluster->ask($port, 'CLIENT', 'KILL', 'USER', 'shop');
        }
        self::assertTrue(Servers::await(static fn(): bool => $cache->getMany(self::keys()) === $values));
        self::assertSame([], $log->entries());
        self::assertTrue($cache->clear(), 'who asks for the map logs in too');
        $this->user('<two');
        foreach (self::$cluster->ports() as $port) {
            self::$cluster->ask($port, 'CLIENT', 'KILL', 'USER', 'shop');
        }
        self::assertFalse($cache->setMany($values), 'the control: the old password is of no use');
        self::assertThrows(StoreUnavailable::class, $cache->reach(...), 'refuses AUTH (WRONGPASS)');
    }

    /** Otherwise many processes whose connections are closed at once would open the breaker for all. */
    #[DataProvider('clients')]
    public function testConnectionsThatTheServerClosesAreNoOutage(string $client): void
    {
        $this->user('resetpass', '>one');
        [$server] = self::$watched->ports();
        $found = $this->watched('shop:one@', $client, self::SENTINEL_PASSWORD);
        $single = \sprintf(
            'rediss://shop:one@%s?client=%s&tls_ca_file=%s',
            self::$watched->addresses(),
            $client,
            self::$ca->ca,
        )
            . Servers::PATIENTLY;
        /** @param \Closure(Cache): mixed $read */
        $afterwards = static function (string $dsn, \Closure $read) use ($server): array {
            $log = new RecordingLogger();
            $caches = array_map(static fn(): Cache => Cache::open($dsn, $log), range(1, 3));
            for ($end = microtime(true) + 1.5; microtime(true) < $end; usleep(10_000)) {
                foreach ($caches as $cache) {
                    $cache->set('k', 'v');
                }
            }
            self::$watched->ask($server, 'CLIENT', 'KILL', 'USER', 'shop');

            return [array_map($read, $caches), $log->entries() !== []];
        };
        $get = static fn(Cache $cache): mixed => $cache->get('k');
        self::assertSame([['v', 'v', 'v'], false], $afterwards($found, $get));
        self::assertSame(
            [['v', 'v', 'v'], false],
            $afterwards($found, static fn(Cache $cache): mixed => $cache->getWithToken('k')),
        );
        // If the machine stands still in between, a connection has been idle, and is tested before it is used again.
        $control = [];
        for ($tries = 5; $tries > 0 && $control !== [[null, null, null], true]; --$tries) {
            $control = $afterwards($single, $get);
        }
        self::assertSame([[null, null, null], true], $control, 'the control: a server that nobody has found');
    }

    /** @return iterable<string, array{string, string}> */
    public static function waysToFindServers(): iterable
    {
        foreach (self::clients() as $name => [$client]) {
            yield "a cluster, $name" => ['cluster', $client];
            yield "sentinels, $name" => ['watched', $client];
        }
    }

    #[DataProvider('waysToFindServers')]
    public function testCallableIsAskedForEachServerAndNotForSentinels(string $way, string $client): void
    {
        $this->user('resetpass', '>one');
        /** @var \ArrayObject<int, string> $asked */
        $asked = new \ArrayObject();
        $cache = Cache::open(
            $way === 'cluster'
                ? $this->cluster('shop@', $client)
                : $this->watched('shop@', $client, self::SENTINEL_PASSWORD),
            credentials: static function (Endpoint $server) use ($asked): string {
                $asked[] = (string) $server;

                return 'one';
            },
        );
        self::assertCount(0, $asked);
        $cache->reach();
        self::assertTrue($cache->setMany(array_fill_keys(self::keys(), 'v'), 60));
        $servers = explode(',', ($way === 'cluster' ? self::$cluster : self::$watched)->addresses());
        self::assertEqualsCanonicalizing($servers, array_values(array_unique($asked->getArrayCopy())));
    }

    #[DataProvider('clients')]
    public function testLoginOfSentinelsIsTheirOwn(string $client): void
    {
        $this->user('resetpass', '>zqxw one');
        $cache = Cache::open($this->watched('shop:zqxw%20one@', $client, self::SENTINEL_PASSWORD));
        $cache->reach();
        self::assertTrue($cache->set('k', 1) && $cache->get('k') === 1);
        $sentinel = self::$watched->sentinels[0];
        self::$watched->ask(
            $sentinel,
            'ACL',
            'SETUSER',
            'scout',
            'reset',
            'on',
            '>zqxw two',
            '+sentinel|get-master-addr-by-name',
            '+sentinel|replicas',
        );
        Cache::open($this->watched('shop:zqxw%20one@', $client, 'zqxw two') . '&sentinel_user=scout')->reach();
        $cases = [
            ['', '', 'refuses SENTINEL (NOAUTH'],
            ['zqxw one', '', 'refuses AUTH (WRONGPASS)'],
            ['zqxw one', 'shop', 'refuses AUTH (WRONGPASS)'],
        ];
        foreach ($cases as [$password, $user, $message]) {
            $dsn = $this->watched('shop:zqxw%20one@', $client, $password)
                . ($user === '' ? '' : "&sentinel_user=$user");
            $refused = self::assertThrows(StoreUnavailable::class, Cache::open($dsn)->reach(...), $message);
            self::assertStringContainsString(
                'Sentinels have a login of their own: sentinel_password_file=',
                $refused->getMessage(),
            );
            self::assertStringNotContainsString('zqxw', (string) $refused);
        }
        $missing = preg_replace(
            '~(sentinel_password_file=)[^&]*~',
            '$1/nowhere',
            $this->watched('shop:zqxw%20one@', $client, self::SENTINEL_PASSWORD),
        );
        self::assertThrows(
            StoreUnavailable::class,
            Cache::open((string) $missing)->reach(...),
            'the option sentinel_password_file names no file that this user can read',
        );
    }

    /** @param list<int>|null $ports that the DSN names */
    private function cluster(string $login, string $client, ?array $ports = null): string
    {
        return \sprintf(
            'rediss+cluster://%s%s?client=%s&namespace=secured&tls_ca_file=%s',
            $login,
            self::$cluster->addresses($ports),
            $client,
            self::$ca->ca,
        )
            . Servers::PATIENTLY;
    }

    private function watched(string $login, string $client, string $sentinelPassword): string
    {
        $file = Servers::directory('secured-secrets') . '/' . bin2hex(random_bytes(4));
        file_put_contents($file, $sentinelPassword . "\n");

        return \sprintf(
            'rediss+sentinel://%s%s/shop?client=%s&tls_ca_file=%s',
            $login,
            self::$watched->addresses(self::$watched->sentinels),
            $client,
            self::$ca->ca,
        )
            . ($sentinelPassword === '' ? '' : "&sentinel_password_file=$file") . Servers::PATIENTLY;
    }

    /** Changes the user "shop" on all servers. */
    private function user(string ...$rules): void
    {
        foreach ([self::$cluster, self::$watched] as $nodes) {
            foreach ($nodes->ports() as $port) {
                $nodes->ask($port, 'ACL', 'SETUSER', 'shop', 'on', '~*', '+@all', ...array_values($rules));
            }
        }
    }

    /** @return array{string, string} the files of a server's certificate and of its key */
    private function setting(int $port): array
    {
        $files = [];
        foreach (['tls-cert-file', 'tls-key-file'] as $name) {
            $answer = self::$cluster->ask($port, 'CONFIG', 'GET', $name);
            $files[] = \is_array($answer) && \is_string($answer[1] ?? null) ? $answer[1] : self::fail("no $name");
        }

        return $files;
    }

    /** @return list<string> some keys on each server */
    private static function keys(): array
    {
        return range('a', 'z');
    }
}

<?php

declare(strict_types=1);

namespace Larder\Tests\Server;

use Larder\Cache;
use Larder\Cli\Server\MemcachedServer;
use Larder\Cli\Server\RedisServer;
use Larder\Exception\StoreUnavailable;
use Larder\Testing\AssertsThrows;
use Larder\Tests\Servers;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

/** Tests for all clients with TLS. */
final class TlsTest extends TestCase
{
    use AssertsThrows;

    private static Certificates $ca;
    private static RedisServer $redis;
    private static MemcachedServer $memcached;

    public static function setUpBeforeClass(): void
    {
        self::$ca = new Certificates(Servers::directory('tls-clients'));
        [$cert, $key] = self::$ca->issue();
        self::$redis = RedisServer::start(
            Servers::directory('tls-redis'),
            [
                '--bind', '127.0.0.1', '::1', '--tls-cert-file', $cert, '--tls-key-file', $key, '--tls-ca-cert-file',
                self::$ca->ca, '--tls-auth-clients', 'no',
            ],
            isTls: true,
        );
        self::$memcached = MemcachedServer::start(
            Servers::directory('tls-memcached'),
            ['-l', '::1', '-Z', '-o', "ssl_chain_cert=$cert,ssl_key=$key"],
        );
    }

    public static function tearDownAfterClass(): void
    {
        self::$redis->stop();
        self::$memcached->stop();
    }

    /** @return iterable<string, array{string, \Closure(): int}> */
    public static function clients(): iterable
    {
        yield 'memcacheds' => ['memcacheds://%s?', static fn(): int => self::$memcached->port];
        yield 'phpredis' => ['rediss://%s?', static fn(): int => self::$redis->port];
        yield 'Predis' => ['rediss://%s?client=predis&', static fn(): int => self::$redis->port];
    }

    /** @param \Closure(): int $port */
    #[DataProvider('clients')]
    public function testAddressesOfIPv6AreNamesOfACertificate(string $dsn, \Closure $port): void
    {
        if (str_starts_with($dsn, 'memcached')) {
            $ports = (string) file_get_contents(Servers::directory('tls-memcached') . '/memcached.port');
            $port = static fn(): int
                => preg_match('/^TCP INET6: (\d+)$/m', $ports, $match) === 1 ? (int) $match[1] : self::fail('no port');
        }
        $cache = $this->open($dsn, '[::1]:' . $port());
        $cache->reach();
        self::assertTrue($cache->set('k', 1));
        self::assertThrows(
            StoreUnavailable::class,
            $this->open($dsn, '[::1]:' . $port(), '&tls_peer_name=2001:db8::1')->reach(...),
            'and not for 2001:db8::1',
        );
    }

    /** @param \Closure(): int $port */
    #[DataProvider('clients')]
    public function testServerThatDoesNotListenIsNoTroubleWithTls(string $dsn, \Closure $port): void
    {
        $refused = self::assertThrows(
            StoreUnavailable::class,
            $this->open($dsn, '127.0.0.1:1')->reach(...),
            'Connection refused',
        );
        self::assertStringNotContainsString('TLS', $refused->getMessage());
    }

    /**
     * For a client that limits single waits only, each byte starts a new wait.
     *
     * @param \Closure(): int $port
     */
    #[DataProvider('clients')]
    public function testHandshakeEndsWithTheTimeoutThoughBytesKeepComing(string $dsn, \Closure $port): void
    {
        $line = SlowLine::to($port(), 10_000);
        $start = microtime(true);
        self::assertThrows(
            StoreUnavailable::class,
            $this->open($dsn, '127.0.0.1:' . $line->port, '&connect_timeout=0.5&read_timeout=60')->reach(...),
            'no answer to the TLS handshake in time',
        );
        self::assertLessThan(5.0, microtime(true) - $start, 'all bytes take longer');
        $line->stop();
        $line = SlowLine::to($port(), 0);
        $this->open($dsn, '127.0.0.1:' . $line->port, '&timeout=60')->reach();
        $line->stop();
    }

    private function open(string $dsn, string $where, string $options = ''): Cache
    {
        return Cache::open(\sprintf($dsn, $where) . 'tls_ca_file=' . self::$ca->ca . $options);
    }
}

<?php

declare(strict_types=1);

namespace Larder\Tests\Driver\Memcached;

use Larder\Cache;
use Larder\Cli\Server\MemcachedServer;
use Larder\Exception\StoreUnavailable;
use Larder\Testing\AssertsThrows;
use Larder\Tests\RecordingLogger;
use Larder\Tests\Server\Certificates;
use Larder\Tests\Servers;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

/** TLS with a real server, a private CA and client certificates. */
final class MemcachedTlsTest extends TestCase
{
    use AssertsThrows;

    private static Certificates $ca;
    private static MemcachedServer $server;
    private static MemcachedServer $asking;

    public static function setUpBeforeClass(): void
    {
        self::$ca = new Certificates(Servers::directory('memcached-tls'));
        self::$server = self::start();
        self::$asking = self::start('ssl_verify_mode=3');
    }

    public static function tearDownAfterClass(): void
    {
        self::$server->stop();
        self::$asking->stop();
    }

    /** @return iterable<string, array{string}> */
    public static function connections(): iterable
    {
        yield 'once' => [''];
        yield 'kept open' => ['&persistent=1'];
    }

    #[DataProvider('connections')]
    public function testValuesTravelOverTls(string $option): void
    {
        $values = ['long' => random_bytes(600_000), 'short' => 'short', 'array' => ['a' => [1.5]]];
        foreach ([1, 2] as $time) {
            $cache = self::open("&tls_ca_file=CA$option&namespace=tls" . \strlen($option) . Servers::PATIENTLY);
            self::assertSame($time === 1 ? null : 'short', $cache->get('short'));
            self::assertTrue($cache->setMany($values, 60));
            self::assertSame($values, $cache->getMany(array_keys($values)));
            self::assertSame($time, $cache->increment('visits'));
            self::assertTrue($cache->lock('l', 10)?->release());
            unset($cache);
        }
    }

    public function testClientCertificateIsShown(): void
    {
        [$cert, $key] = self::$ca->issue('DNS:client');
        self::open("&tls_ca_file=CA&tls_cert_file=$cert&tls_key_file=$key", self::$asking)->reach();
        $refused = self::assertThrows(
            StoreUnavailable::class,
            self::open('&tls_ca_file=CA', self::$asking)->reach(...),
        );
        self::assertMatchesRegularExpression(
            '~^memcached: cannot connect to \S+: the server (asks for a client certificate|ended the connection) '
                . '.*tls_cert_file=~',
            $refused->getMessage(),
        );
    }

    /** @return iterable<string, array{string, string}> */
    public static function impostors(): iterable
    {
        yield 'a CA that the system does not know' => ['', 'is signed by Private CA, which is not trusted here'];
        yield 'another name' => ['&tls_ca_file=CA&tls_peer_name=shop.example', 'and not for shop.example'];
    }

    #[DataProvider('impostors')]
    public function testUnverifiedServerIsRefused(string $options, string $message): void
    {
        self::assertThrows(StoreUnavailable::class, self::open($options)->reach(...), $message);
        $log = new RecordingLogger();
        $cache = self::open($options, log: $log);
        self::assertSame(
            ['miss', false, 'miss'],
            [$cache->get('k', 'miss'), $cache->set('k', 1), $cache->get('k', 'miss')],
        );
        self::assertStringContainsString($message, implode($log->entries()));
        self::open('&tls_ca_file=CA')->reach();
    }

    public function testServerWithoutTlsIsNamed(): void
    {
        $dsn = \sprintf(
            'memcacheds://127.0.0.1:%d?connect_timeout=0.3&tls_ca_file=%s',
            Servers::memcached()->port,
            self::$ca->ca,
        );
        self::assertThrows(StoreUnavailable::class, Cache::open($dsn)->reach(...), 'Is this the port on which');
        $plain = \sprintf('memcache://shop:pzqxw@127.0.0.1:%d?timeout=0.5', self::$server->port);
        self::assertThrows(StoreUnavailable::class, Cache::open($plain)->reach(...), 'memcache: cannot connect to');
    }

    private static function start(string ...$options): MemcachedServer
    {
        [$cert, $key] = self::$ca->issue();

        return MemcachedServer::start(Servers::directory('memcached-tls-' . \count($options)), [
            '-Z',
            '-o',
            implode(',', ["ssl_chain_cert=$cert", "ssl_key=$key", 'ssl_ca_cert=' . self::$ca->ca, ...$options]),
        ]);
    }

    private static function open(
        string $options,
        ?MemcachedServer $server = null,
        RecordingLogger $log = new RecordingLogger(),
    ): Cache {
        return Cache::open(
            \sprintf('memcacheds://127.0.0.1:%d?', ($server ?? self::$server)->port)
                . ltrim(strtr($options, ['=CA' => '=' . self::$ca->ca]), '&'),
            $log,
        );
    }
}

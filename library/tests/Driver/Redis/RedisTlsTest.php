<?php

declare(strict_types=1);

namespace Larder\Tests\Driver\Redis;

use Larder\Cache;
use Larder\Cli\Server\RedisServer;
use Larder\Exception\InvalidDsn;
use Larder\Exception\StoreUnavailable;
use Larder\Testing\AssertsThrows;
use Larder\Tests\RecordingLogger;
use Larder\Tests\Server\Certificates;
use Larder\Tests\Servers;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

/** TLS with a real server, a private CA and client certificates. */
final class RedisTlsTest extends TestCase
{
    use AssertsThrows;

    private static Certificates $ca;
    private static Certificates $otherCa;
    private static string $itself = '';

    /** @var array<string, RedisServer> by their special feature */
    private static array $servers = [];

    public static function setUpBeforeClass(): void
    {
        self::$ca = new Certificates(Servers::directory('tls'));
        self::$otherCa = new Certificates(Servers::directory('tls'), 'Another CA');
    }

    public static function tearDownAfterClass(): void
    {
        array_map(static fn(RedisServer $server) => $server->stop(), self::$servers);
        self::$servers = [];
    }

    /** @return iterable<string, array{string}> */
    public static function clients(): iterable
    {
        yield 'phpredis' => ['phpredis'];
        yield 'Predis' => ['predis'];
    }

    #[DataProvider('clients')]
    public function testValuesTravelOverTls(string $client): void
    {
        $values = ['long' => random_bytes(600_000), 'short' => 'short', 'array' => ['a' => [1.5]]];
        foreach ([
            "rediss://127.0.0.1:%d/3?client=$client",
            "valkeys://localhost:%d?client=$client&database=3&persistent=1",
            "valkeys://localhost:%d?client=$client&database=3&persistent=1",
        ] as $i => $dsn) {
            $cache = Cache::open(
                \sprintf($dsn, self::server()->port) . '&tls_ca_file=' . self::$ca->ca . "&namespace=tls-$client"
                    . Servers::PATIENTLY,
            );
            $cache->reach();
            self::assertSame($i === 0 ? null : 'short', $cache->get('short'), 'all have one database');
            self::assertTrue($cache->setMany($values, 60));
            self::assertSame($values, $cache->getMany(array_keys($values)));
            self::assertSame($i + 1, $cache->increment('visits'));
            self::assertTrue($cache->lock('l', 10)?->release());
            self::assertCount(4, [...$cache->keys()]);
            self::assertTrue($i < 2 || $cache->clear());
        }
    }

    #[DataProvider('clients')]
    public function testClientCertificateIsShown(string $client): void
    {
        $server = self::server('--tls-auth-clients', 'yes');
        [$cert, $key] = self::$ca->issue('DNS:client.example');
        $dsn = \sprintf('rediss://127.0.0.1:%d?client=%s&tls_ca_file=%s', $server->port, $client, self::$ca->ca);
        $cache = Cache::open("$dsn&tls_cert_file=$cert&tls_key_file=$key");
        $cache->reach();
        self::assertTrue($cache->set('k', 1));
        file_put_contents("$cert.both", file_get_contents($cert) . file_get_contents($key));
        Cache::open("$dsn&tls_cert_file=$cert.both")->reach();

        $refused = self::assertThrows(StoreUnavailable::class, Cache::open($dsn)->reach(...));
        self::assertMatchesRegularExpression(
            '~: the server (asks for a client certificate|ended the connection) .*tls_cert_file=~',
            $refused->getMessage(),
        );
        [$foreignCert, $foreignKey] = self::$otherCa->issue('DNS:client.example');
        $refused = self::assertThrows(
            StoreUnavailable::class,
            Cache::open("$dsn&tls_cert_file=$foreignCert&tls_key_file=$foreignKey")->reach(...),
        );
        self::assertMatchesRegularExpression(
            '~: the server (refuses the client certificate|ended the connection) ~',
            $refused->getMessage(),
        );
        self::assertThrows(
            StoreUnavailable::class,
            Cache::open("$dsn&tls_cert_file=$cert&tls_key_file=$foreignKey")->reach(...),
            'the client certificate or its key cannot be used',
        );
        // PHP must not ask for the passphrase at the terminal.
        $private = openssl_pkey_get_private((string) file_get_contents($key));
        self::assertNotFalse($private);
        openssl_pkey_export_to_file($private, "$key.encrypted", 'passphrase');
        self::assertThrows(
            StoreUnavailable::class,
            Cache::open("$dsn&tls_cert_file=$cert&tls_key_file=$key.encrypted")->reach(...),
            'the client certificate or its key cannot be used',
        );
    }

    /** @return iterable<string, array{string, \Closure(): array{RedisServer, string}, string}> */
    public static function impostors(): iterable
    {
        $server = static fn(string $options, string ...$arguments): \Closure => static fn(): array
            => [self::server(...$arguments), $options];
        $ca = '&tls_ca_file=CA';
        $cases = [
            'an unknown CA' => [
                $server('&tls_ca_file=OTHER-CA'),
                'is signed by Private CA, which is not trusted here. Is tls_ca_file the certificate of that CA?',
            ],
            'a CA that the system does not know' => [
                $server(''),
                'is signed by Private CA, which is not trusted here. The CAs of this system are trusted. '
                    . 'To name another: tls_ca_file=',
            ],
            'another host' => [
                $server($ca, 'names', 'DNS:other.example'),
                'the certificate of the server is for DNS:other.example, and not for 127.0.0.1. '
                    . 'Connect by a name that it has, or give that as tls_peer_name=',
            ],
            'another name' => [$server("$ca&tls_peer_name=shop.example"), 'and not for shop.example.'],
            'an expired certificate' => [$server($ca, 'expired'), 'the certificate of the server expired on 20'],
            'an old protocol' => [
                $server($ca, '--tls-protocols', 'TLSv1.1', '--tls-ciphers', 'ALL:@SECLEVEL=0'),
                'the server has no TLS 1.2 or 1.3',
            ],
            'no TLS' => [
                static fn(): array => [Servers::redis(), '&connect_timeout=0.3&tls_ca_file=CA'],
                'no answer to the TLS handshake in time',
            ],
            'no CA in the file' => [$server('&tls_ca_file=' . __FILE__), 'the file of tls_ca_file has no certificate'],
        ];
        foreach ($cases as $name => $case) {
            foreach (self::clients() as $who => [$client]) {
                yield "$name, $who" => [$client, ...$case];
            }
        }
    }

    /** @param \Closure(): array{RedisServer, string} $case */
    #[DataProvider('impostors')]
    public function testUnverifiedServerIsSentNothing(string $client, \Closure $case, string $message): void
    {
        [$server, $options] = $case();
        $options = strtr($options, ['OTHER-CA' => self::$otherCa->ca, '=CA' => '=' . self::$ca->ca]);
        $dsn = \sprintf('rediss://spy:pzqxw@127.0.0.1:%d?client=%s%s', $server->port, $client, $options);
        $admin = self::admin($server);
        $admin->rawcommand('ACL', 'LOG', 'RESET');
        $refused = self::assertThrows(StoreUnavailable::class, Cache::open($dsn)->reach(...));
        self::assertStringContainsString($message, $refused->getMessage());
        self::assertStringNotContainsString('pzqxw', (string) $refused);
        $log = new RecordingLogger();
        $cache = Cache::open($dsn, $log);
        self::assertSame(
            ['miss', false, 'miss'],
            [$cache->get('k', 'miss'), $cache->set('k', 1), $cache->get('k', 'miss')],
        );
        self::assertStringContainsString($message, implode($log->entries()));
        self::assertStringNotContainsString('pzqxw', implode($log->entries()));
        self::assertSame([], $admin->rawcommand('ACL', 'LOG'), 'no login reached the server');
    }

    #[DataProvider('clients')]
    public function testRenewedFilesAreRead(string $client): void
    {
        $file = Servers::directory('tls') . '/renewed.pem';
        copy(self::$otherCa->ca, $file);
        $cache = Cache::open(
            \sprintf('rediss://127.0.0.1:%d?client=%s&tls_ca_file=%s', self::server()->port, $client, $file),
        );
        self::assertThrows(StoreUnavailable::class, $cache->reach(...), 'which is not trusted here');
        copy(self::$ca->ca, $file);
        $cache->reach();
    }

    #[DataProvider('clients')]
    public function testCertificateThatSignsItselfIsItsOwnCa(string $client): void
    {
        $server = self::server('itself');
        [$cert] = self::$ca->issueToItself();
        $dsn = \sprintf('rediss://127.0.0.1:%d?client=%s', $server->port, $client);
        Cache::open("$dsn&tls_ca_file=" . self::$itself)->reach();
        self::assertThrows(
            StoreUnavailable::class,
            Cache::open("$dsn&tls_ca_file=$cert")->reach(...),
            'which is not trusted here',
        );
        self::assertThrows(
            StoreUnavailable::class,
            Cache::open($dsn)->reach(...),
            'is signed by A server, which is not trusted here',
        );
    }

    /** The control of testUnverifiedServerIsSentNothing(): a login that reaches a server appears in its log. */
    #[DataProvider('clients')]
    public function testRefusedLoginIsInTheLogOfTheServer(string $client): void
    {
        $dsn = \sprintf(
            'rediss://spy:pzqxw@127.0.0.1:%d?client=%s&tls_peer_name=other.example&tls_ca_file=%s',
            self::server('names', 'DNS:other.example')->port,
            $client,
            self::$ca->ca,
        );
        $admin = self::admin(self::server('names', 'DNS:other.example'));
        $admin->rawcommand('ACL', 'LOG', 'RESET');
        self::assertThrows(
            StoreUnavailable::class,
            Cache::open($dsn)->reach(...),
            'the server refuses the user name or the password',
        );
        self::assertCount(1, (array) $admin->rawcommand('ACL', 'LOG'));
    }

    /** The control of the case "an old protocol": a client that accepts every protocol connects. */
    public function testServerWithAnOldProtocolWorks(): void
    {
        $server = self::server('--tls-protocols', 'TLSv1.1', '--tls-ciphers', 'ALL:@SECLEVEL=0');
        $options = [
            'cafile' => self::$ca->ca,
            'ciphers' => 'ALL:@SECLEVEL=0',
            'crypto_method' => \STREAM_CRYPTO_METHOD_ANY_CLIENT,
        ];
        $stream = stream_socket_client(
            'tls://127.0.0.1:' . $server->port,
            context: stream_context_create(['ssl' => $options]),
        );
        self::assertNotFalse($stream);
        self::assertSame(['TLSv1.1'], array_column([stream_get_meta_data($stream)['crypto'] ?? []], 'protocol'));
    }

    #[DataProvider('clients')]
    public function testStalledHandshakeEndsWithTheTimeout(string $client): void
    {
        $server = self::server('--tls-session-caching', 'no');
        $process = self::admin($server)->info()['process_id'];
        self::assertIsNumeric($process);
        $dsn = \sprintf(
            'rediss://127.0.0.1:%d?client=%s&tls_ca_file=%s&read_timeout=60',
            $server->port,
            $client,
            self::$ca->ca,
        );
        Servers::freeze((int) $process);
        try {
            $seconds = [];
            foreach ([0.3, 2.0] as $timeout) {
                $start = microtime(true);
                self::assertThrows(
                    StoreUnavailable::class,
                    Cache::open("$dsn&connect_timeout=$timeout")->reach(...),
                    'no answer to the TLS handshake in time',
                );
                $seconds[] = microtime(true) - $start;
            }
        } finally {
            posix_kill((int) $process, \SIGCONT);
        }
        self::assertGreaterThan(0.3, $seconds[0]);
        self::assertLessThan(30.0, $seconds[0]);
        self::assertGreaterThan(2.0, $seconds[1], 'the control: it is this timeout that ends it');
        Cache::open("$dsn&connect_timeout=30")->reach();
    }

    /** @return iterable<string, array{string, class-string<\Throwable>, string}> */
    public static function mistakes(): iterable
    {
        yield 'a socket' => [
            'rediss:///run/redis.sock',
            InvalidDsn::class,
            'names a Unix socket, over which there is no TLS',
        ];
        yield 'an option without TLS' => [
            'redis://127.0.0.1?tls_ca_file=/ca.pem',
            InvalidDsn::class,
            'has the option tls_ca_file, which it does not take. Known: namespace',
        ];
        yield 'the schemes with TLS' => [
            'valkey://127.0.0.1?tls_cert_file=/a',
            InvalidDsn::class,
            'Without TLS there is no use for it: the schemes with TLS are rediss:, valkeys:, ',
        ];
        yield 'a missing file' => [
            'rediss://127.0.0.1?tls_ca_file=/nowhere.pem',
            StoreUnavailable::class,
            'the option tls_ca_file names no file that this user can read',
        ];
        yield 'a key alone' => [
            'rediss://127.0.0.1?tls_key_file=' . __FILE__,
            InvalidDsn::class,
            'has tls_key_file without tls_cert_file',
        ];
        yield 'verification off' => ['rediss://127.0.0.1?tls_verify=0', InvalidDsn::class, 'has an unknown option'];
    }

    /** @param class-string<\Throwable> $class */
    #[DataProvider('mistakes')]
    public function testMistakeIsNamedByOpen(string $dsn, string $class, string $message): void
    {
        self::assertThrows($class, static fn(): Cache => Cache::open($dsn), $message);
    }

    /** @param string ...$options of redis-server; or "names" and the names in its certificate, or "expired" */
    private static function server(string ...$options): RedisServer
    {
        $name = implode(' ', $options);
        if (!isset(self::$servers[$name])) {
            [$cert, $key] = match ($options[0] ?? '') {
                'names' => self::$ca->issue($options[1]),
                'expired' => self::$ca->issue(days: 0),
                'itself' => self::$ca->issueToItself(),
                default => self::$ca->issue(),
            };
            self::$itself = $name === 'itself' ? $cert : self::$itself;
            self::$servers[$name] = RedisServer::start(Servers::directory('tls-' . \count(self::$servers)), [
                '--tls-cert-file', $cert, '--tls-key-file', $key, '--tls-ca-cert-file', self::$ca->ca,
                '--tls-auth-clients', 'no',
                ...(str_starts_with($name, '--') ? array_values($options) : []),
            ], isTls: true);
        }

        return self::$servers[$name];
    }

    private static function admin(RedisServer $server): \Redis
    {
        $admin = new \Redis();
        $admin->connect($server->socket);

        return $admin;
    }
}

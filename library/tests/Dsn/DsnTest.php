<?php

declare(strict_types=1);

namespace Larder\Tests\Dsn;

use Larder\Cache;
use Larder\Drivers;
use Larder\Dsn\Dsn;
use Larder\Dsn\Endpoint;
use Larder\Dsn\Scheme;
use Larder\Dsn\Schemes;
use Larder\Exception\InvalidDsn;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

final class DsnTest extends TestCase
{
    /**
     * Options of all drivers; true if they decide which entries a DSN finds or accepts, and so are part of its
     * identity.
     */
    private const OPTIONS = [
        'namespace' => true, 'database' => true, 'master' => true, 'engine' => true, 'socket' => true,
        'user_file' => true,
        'classes' => true, 'sign' => true, 'sslmode' => true, 'tls_ca_file' => true, 'tls_cert_file' => true,
        'tls_peer_name' => true, 'read' => true,
        'local_ttl' => true, 'poll' => true,
        'serializer' => false, 'compress' => false, 'compress_from' => false,
        'timeout' => false, 'connect_timeout' => false, 'read_timeout' => false, 'persistent' => false,
        'on_failure' => false, 'client' => false,
        'password_file' => false, 'tls_key_file' => false, 'sentinel_user' => false, 'sentinel_password_file' => false,
        'max_size' => false, 'sample' => false, 'default_ttl' => false,
    ];

    public function testDsnIsParsed(): void
    {
        $address = Drivers::parse('mysql://me:p%40s%3As@db.example:3307/shop?engine=memory&namespace=a-b_C9');
        self::assertSame('mysql', $address->scheme);
        self::assertSame(
            ['me', 'p@s:s', ['db.example:3307'], '/shop'],
            [$address->user, $address->password(), $address->servers, $address->name()],
        );
        self::assertSame(['engine' => 'memory', 'namespace' => 'a-b_C9'], $address->options);
        self::assertSame('a-b_C9', $address->namespace());
        self::assertSame('larder', Drivers::parse('apcu:')->namespace());
        self::assertSame('shop', Drivers::parse('larder:shop')->name());
        self::assertSame('/var/cache/with ?', Drivers::parse('file:///var/cache/with%20%3F')->name());
        self::assertSame('redis', Drivers::parse('REDIS://localhost')->scheme);
    }

    /** @return iterable<string, array{string, list<string>}> */
    public static function servers(): iterable
    {
        yield 'a host' => ['memcached://cache.example', ['cache.example:11211']];
        yield 'a host and a port' => ['redis://127.0.0.1:6380', ['127.0.0.1:6380']];
        yield 'the default port' => ['redis://127.0.0.1', ['127.0.0.1:6379']];
        yield 'IPv6' => ['redis://[::1]:6380', ['[::1]:6380']];
        yield 'several' => ['memcached://a:1,b,[::1]:3', ['a:1', 'b:11211', '[::1]:3']];
        yield 'a socket' => ['redis:///run/redis.sock', ['/run/redis.sock']];
        yield 'a socket and a password' => ['redis://:secret@/run/redis.sock', ['/run/redis.sock']];
        yield 'several sockets' => ['memcache:///run/a.sock,/run/b%2C.sock', ['/run/a.sock', '/run/b,.sock']];
        yield 'a slash after the host' => ['redis://localhost/', ['localhost:6379']];
    }

    /** @param list<string> $expected */
    #[DataProvider('servers')]
    public function testHostsAndSocketsAreParsed(string $address, array $expected): void
    {
        $parsed = Drivers::parse($address);
        $endpoints = $parsed->endpoints($parsed->scheme === 'redis' ? 6379 : 11211);
        self::assertSame($expected, array_map(static fn(Endpoint $endpoint): string => (string) $endpoint, $endpoints));
    }

    /** @return iterable<string, array{string, string}> */
    public static function mistakes(): iterable
    {
        $all = implode(', ', array_map(static fn(string $scheme): string => "$scheme:", array_keys(Drivers::all())));
        yield 'nothing' => ['', 'begins with one of ' . $all];
        yield 'a path' => ['/var/cache', 'The scheme of the DSN is missing: it begins with one of ' . $all];
        yield 'another scheme' => [
            'mongodb://localhost',
            'The scheme of the DSN is not known: it begins with one of ' . $all,
        ];
        yield 'another option' => [
            'redis://localhost?colour=red',
            'This redis: DSN has an unknown option. Known: namespace, serializer, compress, compress_from, classes, '
                . 'sign, timeout, connect_timeout, read_timeout, persistent, on_failure, user_file, password_file, '
                . 'client, database, sample, default_ttl',
        ];
        yield 'a misspelt option' => [
            'redis://localhost?nmespace=shop',
            'has an unknown option. Is namespace meant? Known: namespace',
        ];
        yield 'an option of others' => [
            'apcu:?serializer=php',
            'has the option serializer, which it does not take. Known: namespace',
        ];
        yield 'no options known' => ['none:?namespace=a', 'Known: sample, default_ttl'];
        yield 'a wrong client' => [
            'redis://localhost?client=credis',
            'has an unknown value for the option client. Known: phpredis, predis',
        ];
        yield 'a wrong serializer' => [
            'array:?serializer=xml',
            'has an unknown value for the option serializer. Known: php, igbinary, msgpack, json',
        ];
        yield 'a wrong engine' => [
            'mysql://me@localhost/db?engine=aria',
            'has an unknown value for the option engine. Known: memory, myisam, innodb',
        ];
        yield 'a wrong answer to failures' => [
            'redis://localhost?on_failure=ignore',
            'has an unknown value for the option on_failure. Known: miss, throw',
        ];
        yield 'a namespace with a colon' => ['apcu:?namespace=a:b', 'A namespace is 1 to 32 of the characters'];
        yield 'an empty namespace' => ['apcu:?namespace=', 'A namespace is 1 to 32 of the characters'];
        yield 'a long namespace' => [
            'apcu:?namespace=' . str_repeat('a', 33),
            'A namespace is 1 to 32 of the characters',
        ];
        yield 'a wrong timeout' => [
            'redis://localhost?timeout=soon',
            'has a value for the option timeout that is not a number from 0.001 to 3600',
        ];
        yield 'a wrong database' => [
            'redis://localhost?database=-1',
            'has a value for the option database that is not a number',
        ];
        yield 'a path for memcached' => ['memcached://localhost/2', 'has a path after its host'];
        yield 'a database twice' => [
            'redis://localhost/2?database=2',
            'This redis: DSN has the option database twice, once as a path',
        ];
        yield 'a database that is no number' => [
            'redis://localhost/shop',
            'has a value for the option database that is not a number',
        ];
        yield 'a port that is none' => ['redis://localhost:70000', 'has something in the place of a host and a port'];
        yield 'no server' => [
            'memcached:',
            'names no server: memcached://127.0.0.1:11211 or memcached:///path/of.sock',
        ];
        yield 'no database' => ['mysql://me@localhost', 'names no database: mysql://user@127.0.0.1/database'];
        yield 'two databases servers' => ['mysql://me@a,b/db', 'names no single server'];
        yield 'a relative path' => ['file:cache', 'names no absolute path: file:///path'];
        yield 'two slashes' => ['file://var/cache', 'has no host: write file:///path with three slashes'];
        yield 'no file' => ['sqlite:', 'names no absolute path: sqlite:///path'];
        yield 'two databases' => ['mysql://me@localhost/a/b', 'is not the name of one database'];
        yield 'a password with a slash' => ['redis://:a/b@localhost', 'write %2F for /, %3F for ?, %40 for @'];
        yield 'a percent sign in a password' => [
            'redis://:a%ZZ@localhost',
            'This redis: DSN has a % in its user name or password that two hexadecimal digits do not follow. '
                . 'Inside a user name',
        ];
        yield 'a percent sign in a user name' => ['mysql://a%@localhost/db', 'has a % in its user name or password'];
        yield 'a percent sign in a path' => ['file:///a%2', 'has a % in its path'];
        yield 'a percent sign in an option' => ['pgsql://me@/db?socket=/run/%zz', 'has a % in its option socket'];
        yield 'a percent sign in the shared tier' => [
            'tier:(array:)(redis://:a%ZZ@localhost)',
            'This redis: DSN has a % in its user name or password',
        ];
        yield 'an option twice' => [
            'redis://localhost?namespace=a&timeout=1&namespace=b',
            'This redis: DSN has the option namespace twice',
        ];
        yield 'a small size' => [
            'file:///a?max_size=12',
            'has a value for the option max_size that is not a number of bytes from 1048576 (1 MiB) '
                . 'to 1125899906842624 (1 PiB)',
        ];
        yield 'a size in words' => ['sqlite:///a?max_size=10M', 'that is not a number of bytes from 1048576 (1 MiB)'];
        yield 'a zero byte' => ['file:///a%00b', 'has a zero byte'];
        yield 'a name for APCu' => ['apcu:shop', 'has something after its colon'];
        yield 'a host for the engine' => ['larder://localhost', 'has no host'];
    }

    #[DataProvider('mistakes')]
    public function testInvalidDsnIsNamedWithTheAlternatives(string $address, string $message): void
    {
        $this->expectException(InvalidDsn::class);
        $this->expectExceptionMessage($message);
        Cache::open($address);
    }

    /** A new option fails here until it is classified. By default, it is part of the identity. */
    public function testEveryOptionIsClassified(): void
    {
        $known = [];
        foreach ((new Drivers())->schemes() as $scheme) {
            $dsn = $scheme->name . ($scheme->nesting !== '' ? ':(array:)(array:)' : ($scheme->isRemote ? '://h' : ':'));
            $this->classify($scheme, static fn(string $options): Dsn => Drivers::parse("$dsn?$options"));
            $known = [...$known, ...$scheme->options];
        }
        foreach ([new \Redis(), new \Memcached(), new \PDO('sqlite::memory:')] as $client) {
            $held = Drivers::hold($client, true);
            $this->classify($held->scheme(''), $held->dsn(...));
        }
        self::assertSame([], array_diff(array_keys(self::OPTIONS), $known), 'options that no driver has');
    }

    public function testOptionThatNobodyClassifiedBelongsToTheIdentity(): void
    {
        $schemes = new class implements Schemes {
            public function scheme(string $name): Scheme
            {
                return new Scheme('new', ['colour']);
            }

            public function schemes(): array
            {
                return [$this->scheme('new')];
            }
        };
        self::assertNotSame(
            Dsn::parse('new:?colour=red', $schemes)->identity(),
            Dsn::parse('new:?colour=blue', $schemes)->identity(),
        );
    }

    public function testSchemeWithMoreOptionsStaysEncrypted(): void
    {
        $plain = new Scheme('new', ['colour'], isRemote: true);
        $scheme = $plain->as('news', true)->with(['size']);
        $options = ['colour', 'size', ...Scheme::TLS_OPTIONS, ...Scheme::COMMON_OPTIONS];
        self::assertSame(['news', true, $options], [$scheme->name, $scheme->isTls, $scheme->options]);
        self::assertEquals($plain, $plain->as('news', true)->as('new', false));
    }

    public function testUserBelongsToTheIdentityAndThePasswordDoesNot(): void
    {
        $identity = static fn(string $login): string => Drivers::parse("pgsql://$login@h/d")->identity();
        self::assertNotSame($identity('alice'), $identity('bob'));
        self::assertSame($identity('alice:old'), $identity('alice:new'));
        self::assertStringNotContainsString('pzqxw', $identity('alice:pzqxw'));
    }

    /** @param \Closure(string): Dsn $with options */
    private function classify(Scheme $scheme, \Closure $with): void
    {
        foreach ($scheme->options as $option) {
            $belongs = self::OPTIONS[$option] ?? self::fail(
                "The option $option of $scheme->name: is not classified: "
                    . 'does it decide which entries a DSN finds or accepts? See Dsn::identity()',
            );
            self::assertSame(
                $belongs,
                $with("$option=1")->identity() !== $with("$option=2")->identity(),
                "$scheme->name: $option",
            );
        }
    }
}

<?php

declare(strict_types=1);

namespace Larder\Tests;

use Larder\Address;
use Larder\Cache;
use Larder\Endpoint;
use Larder\Exception\InvalidAddress;
use Larder\Scheme;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

final class AddressTest extends TestCase
{
    public function testItsPartsAreTakenApart(): void
    {
        $address = Address::parse('mysql://me:p%40s%3As@db.example:3307/shop?engine=memory&namespace=a-b_C9');
        self::assertSame(Scheme::MySql, $address->scheme);
        self::assertSame(['me', 'p@s:s', ['db.example:3307'], '/shop'], [$address->user, $address->password, $address->servers, $address->name()]);
        self::assertSame(['engine' => 'memory', 'namespace' => 'a-b_C9'], $address->options);
        self::assertSame('a-b_C9', $address->namespace());
        self::assertSame('larder', Address::parse('apcu:')->namespace());
        self::assertSame('shop', Address::parse('larder:shop')->name());
        self::assertSame('/var/cache/with ?', Address::parse('file:///var/cache/with%20%3F')->name());
        self::assertSame(Scheme::Redis, Address::parse('REDIS://localhost')->scheme);
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
    public function testServersAndSockets(string $address, array $expected): void
    {
        $parsed = Address::parse($address);
        $endpoints = $parsed->endpoints($parsed->scheme === Scheme::Redis ? 6379 : 11211);
        self::assertSame($expected, array_map(static fn(Endpoint $endpoint): string => (string) $endpoint, $endpoints));
    }

    /** @return iterable<string, array{string, string}> */
    public static function mistakes(): iterable
    {
        $all = 'auto:, none:, array:, larder:, apcu:, yac:, shmop:, memcached:, memcache:, redis:, mysql:, sqlite:, file:, php-file:';
        yield 'nothing' => ['', 'begins with one of ' . $all];
        yield 'a path' => ['/var/cache', '"/var/cache" is not an address: it begins with one of ' . $all];
        yield 'another scheme' => ['mongodb://localhost', '"mongodb" is not a known kind of store. Known: ' . $all];
        yield 'another option' => ['redis://localhost?colour=red', '"colour" is not an option of redis: addresses. Known: namespace, serializer, compress, compress_from, classes, sign, timeout, persistent, on_failure, client, database'];
        yield 'an option of others' => ['apcu:?serializer=php', '"serializer" is not an option of apcu: addresses. Known: namespace'];
        yield 'no options known' => ['none:?namespace=a', 'Known: none'];
        yield 'a wrong client' => ['redis://localhost?client=credis', 'has client=credis. Known: phpredis, predis'];
        yield 'a wrong serializer' => ['array:?serializer=xml', 'has serializer=xml. Known: php, igbinary, msgpack, json'];
        yield 'a wrong engine' => ['mysql://me@localhost/db?engine=aria', 'has engine=aria. Known: memory, myisam, innodb'];
        yield 'a wrong answer to failures' => ['redis://localhost?on_failure=ignore', 'has on_failure=ignore. Known: miss, throw'];
        yield 'a namespace with a colon' => ['apcu:?namespace=a:b', 'A namespace is 1 to 32 of the characters'];
        yield 'an empty namespace' => ['apcu:?namespace=', 'A namespace is 1 to 32 of the characters'];
        yield 'a long namespace' => ['apcu:?namespace=' . str_repeat('a', 33), 'A namespace is 1 to 32 of the characters'];
        yield 'a wrong timeout' => ['redis://localhost?timeout=soon', 'has timeout=soon, which is not a number from 0.001 to 3600'];
        yield 'a wrong database' => ['redis://localhost?database=-1', 'has database=-1, which is not a number'];
        yield 'a database as a path' => ['redis://localhost/2', 'has "/2" after its host'];
        yield 'a port that is none' => ['redis://localhost:70000', 'has "localhost:70000" where a host and a port are expected'];
        yield 'a user for memcached' => ['memcached://me:secret@localhost', 'has a user or a password, which memcached does not ask for here'];
        yield 'no server' => ['memcached:', 'names no server: memcached://127.0.0.1:11211 or memcached:///path/of.sock'];
        yield 'no database' => ['mysql://me@localhost', 'names no database: mysql://user@127.0.0.1/database'];
        yield 'two databases servers' => ['mysql://me@a,b/db', 'names no single server'];
        yield 'a relative path' => ['file:cache', 'names no absolute path: file:///path'];
        yield 'two slashes' => ['file://var/cache', 'has no host: write file:///path with three slashes'];
        yield 'no file' => ['sqlite:', 'names no absolute path: sqlite:///path'];
        yield 'a name for APCu' => ['apcu:shop', 'has "shop" after its colon'];
        yield 'a host for the engine' => ['larder://localhost', 'has no host'];
    }

    #[DataProvider('mistakes')]
    public function testMistakesAreNamedWithWhatIsKnown(string $address, string $message): void
    {
        $this->expectException(InvalidAddress::class);
        $this->expectExceptionMessage($message);
        Cache::open($address);
    }

    public function testNoMessageShowsAPassword(): void
    {
        foreach (['redis://me:secret@localhost/2', 'mysql://me:secret@localhost', '://me:secret@localhost', 'mysql://me:secret@a,b/db?x=y', '1redis://me:secret@localhost'] as $address) {
            try {
                Cache::open($address);
                self::fail('opened ' . $address);
            } catch (InvalidAddress $invalid) {
                self::assertStringNotContainsString('secret', $invalid->getMessage());
                self::assertStringNotContainsString('secret', $invalid->getTraceAsString());
            }
        }
    }
}

<?php

declare(strict_types=1);

namespace Larder\Tests\Dsn;

use Larder\Cache;
use Larder\Drivers;
use Larder\Exception\CacheException;
use Larder\Internal\Resolver;
use PHPUnit\Framework\TestCase;

/** No message, trace or dump shows a part of a password, in whatever way the DSN with it is malformed. */
final class DsnSecretsTest extends TestCase
{
    private const TRIES = 100_000;
    private const SEED = 20_260_101;

    /** Letters of each part of the secret occur together nowhere else. */
    private const SECRETS = [
        'zqxw/vkjy', 'zqxw?vkjy', 'zqxw@vkjy', 'zqxw:vkjy', 'zqxw#vkjy', 'zqxw%vkjy', 'zqxw(vkjy)', 'zqxw&vkjy=vkjy',
        'zqxwvkjy',
    ];
    private const MARKS = ['zqx', 'qxw', 'vkj', 'kjy'];

    private const ADDRESSES = [
        'redis://:SECRET@cache.example:6379?namespace=shop&database=2',
        'redis://shop:SECRET@cache.example,other.example',
        'redis://:SECRET@/run/redis.sock?client=predis',
        'redis:/:SECRET@cache.example',
        'redis:SECRET@cache.example',
        'mysql://shop:SECRET@db.example/shop?engine=memory',
        'mysql://shop:SECRET@/shop?socket=/run/mysqld.sock',
        'memcached://shop:SECRET@cache.example',
        'memcacheds://shop:SECRET@cache.example?tls_peer_name=SECRET',
        'rediss://shop:SECRET@cache.example/5?tls_ca_file=/SECRET&tls_key_file=/SECRET',
        'valkeys://:SECRET@cache.example/SECRET?password_file=/SECRET&user_file=/SECRET',
        'redis://cache.example?connect_timeout=SECRET&read_timeout=SECRET',
        'redis+cluster://shop:SECRET@cache.example,other.example:7000?read=SECRET',
        'redis+sentinel://shop:SECRET@cache.example,other.example/SECRET?database=SECRET',
        'redis+sentinel://:SECRET@cache.example?master=SECRET',
        'rediss+sentinel://shop:SECRET@cache.example/SECRET?sentinel_password_file=/SECRET&sentinel_user=SECRET&tls_cert_file=/SECRET',
        'rediss+cluster://shop@cache.example?password_file=/SECRET&tls_peer_name=SECRET',
        'tier:(larder:)(redis://:SECRET@cache.example)?poll=2',
        'tier:(array:)(tier:(array:)(mysql://shop:SECRET@db.example/shop))',
        'redis://cache.example?sign=SECRET',
        'redis://cache.example?sign=env:SECRET&classes=none',
        'redis://cache.example?password=SECRET',
        'redis://cache.example?SECRET',
        'redis://cache.example?timeout=SECRET&namespace=SECRET&persistent=SECRET',
        'SECRET://cache.example',
        'SECRET@cache.example',
    ];

    /** Texts that are inserted into a DSN, or replace one of its characters. */
    private const CHARACTERS = [
        '/', '?', '@', ':', '#', '%', '&', '=', ',', '(', ')', '[', ']', ' ', "\0", "\n", 'x', '//', '%40', '%00',
        "\xff",
    ];

    public function testErrorsOfInvalidDsnsNeverShowSecrets(): void
    {
        $errors = 0;
        foreach (self::broken() as $address) {
            try {
                Resolver::at(Drivers::parse($address))->store();
            } catch (CacheException $error) {
                ++$errors;
                $this->assertNothingIn((string) $error, $address);
                if ($errors % 16 === 0) { // dumps are long
                    $this->assertNothingIn(print_r($error->getTrace(), true), $address);
                }
            }
        }
        self::assertGreaterThan(self::TRIES / 4, $errors);
    }

    /** The password belongs to the client, but users who are used to a DSN may write it there. */
    public function testTraceOfOptionsForAClientNeverShowsSecrets(): void
    {
        foreach (['password=zqxwvkjy', 'sign=zqxwvkjy', 'zqxwvkjy'] as $options) {
            $this->assertNothingIn(
                self::trace(static fn(): Cache => Cache::over(new \PDO('sqlite::memory:'), $options)),
                $options,
            );
        }
        foreach (['redis://:zqxwvkjy@cache.example?other=1', 'zqxwvkjy'] as $local) {
            $this->assertNothingIn(
                self::trace(static fn(): Cache => Cache::over(new \PDO('sqlite::memory:'), local: $local)),
                $local,
            );
        }
        self::assertStringContainsString(
            'a name',
            self::trace(static fn(): Cache => Cache::over(new \PDO('sqlite::memory:'))->withSubNamespace('a name')),
            'the control: an argument that is no secret',
        );
    }

    /** The control: masking only the password with a pattern. */
    public function testMaskingOnlyPasswordsShowsOtherSecrets(): void
    {
        $shown = 0;
        foreach (self::broken() as $address) {
            $masked = (string) preg_replace('~//[^/?]*@~', '//…@', $address);
            $shown += (int) (str_replace(self::MARKS, '', $masked) !== $masked);
        }
        self::assertGreaterThan(self::TRIES / 4, $shown);
    }

    public function testDsnIsDumpedWithoutPassword(): void
    {
        $address = Drivers::parse('redis://shop:zqxwvkjy@cache.example?sign=zqxw');
        self::assertSame('zqxwvkjy', $address->password());
        ob_start();
        var_dump($address, [$address]);
        $dumps = [(string) ob_get_clean(), print_r($address, true)];
        foreach ($dumps as $dump) {
            $this->assertNothingIn($dump, 'dump');
        }
        $this->assertNothingIn(var_export(Drivers::parse('redis://shop:zqxwvkjy@cache.example'), true), 'var_export');
        $this->expectException(\Exception::class);
        $this->expectExceptionMessage('is not allowed');
        serialize($address);
    }

    public function testStoreIsDumpedWithoutPassword(): void
    {
        foreach ([
            'redis://:zqxwvkjy@127.0.0.1:1',
            'redis://:zqxwvkjy@127.0.0.1:1?client=predis',
            'rediss://:zqxwvkjy@127.0.0.1:1',
            'redis+cluster://shop:zqxwvkjy@127.0.0.1:1',
            'redis+sentinel://shop:zqxwvkjy@127.0.0.1:1/shop',
            'rediss+sentinel://shop:zqxwvkjy@127.0.0.1:1/shop?sentinel_user=scout',
            'memcached://shop:zqxwvkjy@127.0.0.1:1',
            'memcacheds://shop:zqxwvkjy@127.0.0.1:1',
            'mysql://shop:zqxwvkjy@127.0.0.1:1/shop',
        ] as $address) {
            $cache = Cache::open($address);
            $cache->get('k');
            ob_start();
            var_dump($cache);
            $this->assertNothingIn((string) ob_get_clean(), $address);
            $this->assertNothingIn(print_r($cache, true), $address);
            $this->assertNothingIn(@var_export($cache, true), $address);

            try {
                $this->assertNothingIn(serialize($cache), $address);
            } catch (\Exception $refused) {
                self::assertStringContainsString('is not allowed', $refused->getMessage());
            }
        }
    }

    /**
     * @param \Closure(): Cache $open a cache that cannot be opened
     * @return string with the arguments of each call, which PHP's settings for production leave out
     */
    private static function trace(\Closure $open): string
    {
        $before = (string) ini_set('zend.exception_ignore_args', '0');

        try {
            $open();
            self::fail('it is accepted');
        } catch (CacheException $error) {
            $calls = array_column($error->getTrace(), 'args', 'function');

            return print_r(
                array_map(
                    static fn(array $arguments): array => array_filter($arguments, is_string(...)),
                    array_intersect_key(
                        $calls,
                        array_flip(['over', 'withSubNamespace', 'dsn', 'parse', 'options', 'inSubNamespace']),
                    ),
                ),
                true,
            );
        } finally {
            ini_set('zend.exception_ignore_args', $before);
        }
    }

    private function assertNothingIn(string $text, string $address): void
    {
        foreach (self::MARKS as $mark) {
            if (str_contains($text, $mark)) {
                self::fail(
                    \sprintf('%s shows %s: %s', json_encode($address, \JSON_INVALID_UTF8_SUBSTITUTE), $mark, $text),
                );
            }
        }
        $this->addToAssertionCount(1);
    }

    /** @return \Generator<string> */
    private static function broken(): \Generator
    {
        mt_srand(self::SEED);
        for ($try = 0; $try < self::TRIES; ++$try) {
            $address = str_replace('SECRET', self::oneOf(self::SECRETS), self::oneOf(self::ADDRESSES));
            for ($mutations = mt_rand(0, 3); $mutations > 0; --$mutations) {
                $at = mt_rand(0, max(0, \strlen($address) - 1));
                $address = match (mt_rand(0, 3)) {
                    0 => substr_replace($address, self::oneOf(self::CHARACTERS), $at, 0),
                    1 => substr_replace($address, self::oneOf(self::CHARACTERS), $at, 1),
                    2 => substr_replace($address, '', $at, mt_rand(1, 4)),
                    default => substr($address, 0, $at) . substr($address, mt_rand(0, \strlen($address))),
                };
            }
            yield $address;
        }
    }

    /**
     * @param non-empty-list<string> $of
     */
    private static function oneOf(array $of): string
    {
        return $of[mt_rand(0, \count($of) - 1)];
    }
}

<?php

declare(strict_types=1);

namespace Larder\Tests\Codec;

use Larder\Cache;
use Larder\Exception\InvalidDsn;
use Larder\Exception\StoreUnavailable;
use Larder\Testing\AssertsThrows;
use Larder\Tests\Servers;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

/** The DSN options that choose a codec. */
final class CodecOptionsTest extends TestCase
{
    use AssertsThrows;

    private const ENVIRONMENT = 'LARDER_TESTS_SIGNING_KEYS';
    private const KEY = '0123456789abcdef0123456789abcdef';

    protected function tearDown(): void
    {
        putenv(self::ENVIRONMENT);
    }

    /** @return iterable<string, array{string, string}> */
    public static function mistakes(): iterable
    {
        yield 'a serializer' => [
            'file:///tmp?serializer=xml',
            'has an unknown value for the option serializer. Known: php, igbinary, msgpack, json',
        ];
        yield 'a compression' => [
            'file:///tmp?compress=gzip',
            'has an unknown value for the option compress. Known: none, zlib, zstd, lz4',
        ];
        yield 'a threshold' => [
            'file:///tmp?compress=zlib&compress_from=2k',
            'has a value for the option compress_from that is not a number from 0 to 67108864',
        ];
        yield 'a threshold of nothing' => ['file:///tmp?compress_from=100', 'nothing to compress with: add compress='];
        yield 'classes that cannot be limited' => [
            'file:///tmp?serializer=igbinary&classes=none',
            'which cannot limit the classes',
        ];
        yield 'a key in the DSN' => [
            'file:///tmp?sign=' . self::KEY,
            'does not say where the signing keys are: sign=env:NAME or sign=file:/path',
        ];
        yield 'a variable that is not set' => [
            'file:///tmp?sign=env:NO_SUCH',
            'names an environment variable by sign=env: that is not set',
        ];
        yield 'a header of the request' => ['file:///tmp?sign=env:HTTP_X_KEY', 'those come from the client'];
        yield 'an empty variable' => [
            'file:///tmp?sign=env:LARDER_TESTS_EMPTY',
            'There is no signing key. To make one: openssl rand -hex 32',
        ];
        yield 'a file that is not there' => [
            'file:///tmp?sign=file:/no/such',
            'names a file by sign=file: that cannot be read',
        ];
        yield 'a file that all can read' => [
            'file:///tmp?sign=file:/etc/passwd',
            'names the file /etc/passwd, which everybody can read',
        ];
        yield 'bytes where there are none' => [
            'apcu:?compress=zlib',
            'This apcu: DSN has the option compress, which it does not take. Known: namespace, sample, default_ttl. '
                . 'It keeps PHP\'s own values',
        ];
        yield 'a signature of the engine' => [
            'larder:?sign=env:X',
            'This larder: DSN has the option sign, which it does not take. Known: namespace, sample, default_ttl. '
                . 'It keeps PHP\'s own values',
        ];
        yield 'a signature of code' => [
            'php-file:///tmp?sign=env:X',
            'This php-file: DSN has the option sign, which it does not take. Known: namespace, serializer, max_size, '
                . 'sample, default_ttl. Its files are code',
        ];
        yield 'a signature of whatever is found' => ['auto:?sign=env:X', 'name the store'];
    }

    #[DataProvider('mistakes')]
    public function testInvalidOptionIsNamed(string $address, string $message): void
    {
        putenv('LARDER_TESTS_EMPTY=');
        $error = self::assertThrows(InvalidDsn::class, static fn() => Cache::open($address), $message);
        self::assertStringNotContainsString(self::KEY, (string) $error, 'the key is nowhere in the trace');
    }

    public function testMissingExtensionIsNamed(): void
    {
        foreach (['compress=zstd' => 'zstd', 'compress=lz4' => 'lz4'] as $option => $extension) {
            if (!\extension_loaded($extension)) {
                self::assertThrows(
                    StoreUnavailable::class,
                    static fn() => Cache::open('file://' . Servers::directory('options') . '?' . $option),
                    "$option: the PHP extension $extension is not loaded",
                );
            }
        }
        $this->addToAssertionCount(1);
    }

    public function testSigningKeyIsReadFromEnvAndServerArrays(): void
    {
        $_ENV[self::ENVIRONMENT] = self::KEY;
        $cache = Cache::open('file://' . Servers::directory('options') . '?sign=env:' . self::ENVIRONMENT);
        $cache->set('k', 1);
        unset($_ENV[self::ENVIRONMENT]);
        $_SERVER[self::ENVIRONMENT] = self::KEY;
        self::assertSame(
            1,
            Cache::open('file://' . Servers::directory('options') . '?sign=env:' . self::ENVIRONMENT)->get('k'),
        );
        $_SERVER['HTTP_X_KEY'] = self::KEY;

        try {
            self::assertThrows(
                InvalidDsn::class,
                static fn() => Cache::open('file://' . Servers::directory('options') . '?sign=env:HTTP_X_KEY'),
            );
        } finally {
            unset($_SERVER[self::ENVIRONMENT], $_SERVER['HTTP_X_KEY']);
        }
    }

    public function testSigningKeyIsReadFromTheEnvironment(): void
    {
        $address = 'file://' . Servers::directory('signed') . '?namespace=env&sign=env:' . self::ENVIRONMENT;
        $this->assertKeysAreChanged($address, static function (string $keys): void {
            putenv(self::ENVIRONMENT . '=' . $keys);
        });
    }

    public function testSigningKeyIsReadFromAFile(): void
    {
        $file = Servers::directory('keys') . '/signing.keys';
        touch($file);
        chmod($file, 0o600);
        $address = 'file://' . Servers::directory('signed') . "?namespace=file&sign=file:$file";
        $this->assertKeysAreChanged($address, static function (string $keys) use ($file): void {
            file_put_contents($file, $keys);
        });
    }

    public function testCacheAndExplanationDoNotShowTheSigningKey(): void
    {
        putenv(self::ENVIRONMENT . '=' . self::KEY);
        $cache = Cache::open('file://' . Servers::directory('signed') . '?sign=env:' . self::ENVIRONMENT);
        $shown = print_r($cache, true) . implode("\n", $cache->explain());
        self::assertStringNotContainsString(self::KEY, $shown);
        self::assertStringContainsString('SigningKeys', $shown, 'the control: the rest is shown');
    }

    /** @param \Closure(string): void $provide */
    private function assertKeysAreChanged(string $address, \Closure $provide): void
    {
        $new = strrev(self::KEY);
        $provide(self::KEY . "\n");
        Cache::open($address)->set('k', 'value');
        $provide("$new\n" . self::KEY . "\n");
        $cache = Cache::open($address);
        self::assertSame('value', $cache->get('k'));
        $cache->set('k2', 'value');
        $provide($new);
        $cache = Cache::open($address);
        self::assertNull($cache->get('k'));
        self::assertSame(['forged' => 1], $cache->failures());
        self::assertSame('value', $cache->get('k2'));
    }
}

<?php

declare(strict_types=1);

namespace Larder\Tests\Driver\Memcached;

use Larder\Cache;
use Larder\Contract\LockingStore;
use Larder\Internal\Key\NamespaceName;
use Larder\Lock\Lock;
use Larder\Tests\Servers;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\TestCase;

/**
 * An attacker who can write to the server stores items that the PHP extensions unserialize on reading. No operation of
 * the store does so, wherever they are planted: in place of values, counters, locks, tags, or the version.
 */
#[Group('waiting')]
final class PlantedValueTest extends TestCase
{
    private const KEY = 'LARDER_TESTS_PLANTED';
    private const SAFE = '&classes=none&sign=env:' . self::KEY;

    protected function setUp(): void
    {
        putenv(self::KEY . '=' . str_repeat('k', 64));
    }

    /** @return iterable<string, array{string, string}> */
    public static function stores(): iterable
    {
        foreach (['memcached', 'memcache'] as $scheme) {
            foreach ([
                '' => '',
                'signed' => self::SAFE,
                'without classes' => '&classes=none',
                'igbinary' => '&serializer=igbinary',
            ] as $name => $options) {
                yield rtrim("$scheme $name") => [$scheme, $options];
            }
        }
    }

    #[DataProvider('stores')]
    public function testPlantedValueIsNotUnserialized(string $scheme, string $options): void
    {
        $namespace = 'planted' . bin2hex(random_bytes(4));
        $cache = Cache::open(\sprintf(
            '%s://%s?namespace=%s%s',
            $scheme,
            Servers::memcached()->socket,
            $namespace,
            Servers::PATIENTLY . $options,
        ));
        $raw = new RawMemcached(Servers::memcached()->socket);
        $places = 0;
        $payloads = self::payloads($scheme, str_contains($options, 'classes'));
        foreach ($payloads as $payload => [$flags, $bytes]) {
            foreach (self::operations() as $operation => $work) {
                // The version needs more time, so it is tried with one payload.
                foreach ($payload === array_key_first($payloads) ? ['values', 'version'] : ['values'] as $place) {
                    self::fill($cache);
                    foreach ($raw->names(NamespaceName::prefix($namespace)) as $name) {
                        if (($name === NamespaceName::prefix($namespace) . 'version') === ($place === 'version')) {
                            // Bytes without flags are only read if they begin with the namespace's version.
                            $raw->plant(
                                $name,
                                $flags,
                                $flags === 0 && $place === 'values'
                                    ? $raw->get(NamespaceName::prefix($namespace) . 'version') . $bytes
                                    : $bytes,
                            );
                            ++$places;
                        }
                    }
                    if ($place === 'version') {
                        usleep(50_100); // until the store reads the version again
                    }
                    Gadget::$ran = 0;
                    $work($cache);
                    gc_collect_cycles();
                    self::assertSame(0, Gadget::$ran, "$operation, $payload as $place");
                }
            }
            self::assertTrue($cache->set('k', 'value'));
            self::assertSame('value', $cache->get('k'), 'what was planted was written over');
        }
        self::assertGreaterThan(100, $places);
        $cache->clear();
    }

    /** The control: the extension itself runs the code. */
    #[DataProvider('clients')]
    public function testExtensionUnserializesPlantedValue(string $scheme, \Closure $get, string ...$payloads): void
    {
        $raw = new RawMemcached(Servers::memcached()->socket);
        foreach ($payloads as $payload) {
            [$flags, $bytes] = self::payloads($scheme, false)[$payload];
            $raw->plant('planted', $flags, $bytes);
            Gadget::$ran = 0;
            $get('planted');
            self::assertSame(2, Gadget::$ran, $payload);
        }
    }

    /** @return iterable<string, array<\Closure|string>> */
    public static function clients(): iterable
    {
        yield 'memcached' => ['memcached', static function (string $name): void {
            $client = new \Memcached();
            $client->addServer(Servers::memcached()->socket, 0);
            $client->get($name);
        }, 'serialized', 'igbinary', 'compressed'];
        yield 'memcache' => ['memcache', static function (string $name): void {
            $client = new \Memcache();
            @$client->addServer('unix://' . Servers::memcached()->socket, 0);
            @$client->get($name);
        }, 'serialized', 'compressed'];
    }

    public function testItemWithFlagsIsAMiss(): void
    {
        $raw = new RawMemcached(Servers::memcached()->socket);
        foreach (['memcached', 'memcache'] as $scheme) {
            $namespace = 'flags' . bin2hex(random_bytes(4));
            $cache = Cache::open(\sprintf(
                '%s://%s?namespace=%s' . Servers::PATIENTLY,
                $scheme,
                Servers::memcached()->socket,
                $namespace,
            ));
            $cache->setMany(['a' => 1, 'b' => 2]);
            foreach ($raw->names(NamespaceName::prefix($namespace)) as $name) {
                if (str_ends_with($name, '~a')) {
                    $raw->plant($name, 1, '7');
                }
            }
            self::assertSame('miss', $cache->get('a', 'miss'));
            self::assertSame(['a' => 'miss', 'b' => 2], $cache->getMany(['a', 'b'], 'miss'));
            self::assertFalse($cache->has('a'));
            self::assertNull($cache->expiry('a'));
            self::assertFalse($cache->touch('a', 10));
            self::assertTrue($cache->add('a', 5), 'an add takes its place');
            self::assertSame(6, $cache->increment('a'));
        }
    }

    public function testNamespaceVersionCannotCarryCommands(): void
    {
        $raw = new RawMemcached(Servers::memcached()->socket);
        foreach (['memcached', 'memcache'] as $scheme) {
            $namespace = 'inject' . bin2hex(random_bytes(4));
            $cache = Cache::open(\sprintf(
                '%s://%s?namespace=%s' . Servers::PATIENTLY,
                $scheme,
                Servers::memcached()->socket,
                $namespace,
            ));
            foreach ([
                "x\r\nset injected$namespace 0 0 1\r\n1\r\nget x",
                '',
                ' ',
                str_repeat('A', 300),
                "\r\nget x\n",
            ] as $generation) {
                $raw->plant(NamespaceName::prefix($namespace) . 'version', 0, $generation);
                usleep(50_100);
                self::assertNull($cache->get('k'));
                self::assertTrue($cache->set('k', 1));
                self::assertSame(1, $cache->get('k'));
            }
            self::assertSame([], $raw->names('injected' . $namespace));
        }
    }

    private static function fill(Cache $cache): void
    {
        $cache->setMany(['k' => 'value', 'l' => 'value', 'long' . str_repeat('.', 300) => 'value', 'n' => 5]);
        $cache->set('tagged', 'value', tags: ['tag']);
        $cache->remember('remembered', 60, static fn(): string => 'value');
        $cache->lock('lock', seconds: 60);
    }

    /** @return array<string, \Closure(Cache): mixed> */
    private static function operations(): array
    {
        $long = 'long' . str_repeat('.', 300);
        $locks = static function (Cache $cache): LockingStore {
            $store = $cache->store();
            \assert($store instanceof LockingStore);

            return $store;
        };

        return [
            'get' => static fn(Cache $cache): mixed => [$cache->get('k'), $cache->get($long), $cache->get('tagged')],
            'getMany' => static fn(Cache $cache): array => $cache->getMany(['k', 'l', $long, 'n', 'tagged']),
            'has' => static fn(Cache $cache): bool => $cache->has('k'),
            'set' => static fn(Cache $cache): bool => $cache->set('k', 'new'),
            'set with tags' => static fn(Cache $cache): bool => $cache->set('k', 'new', tags: ['tag', 'other']),
            'setMany' => static fn(Cache $cache): bool => $cache->setMany(['k' => 1, 'l' => 2], 60),
            'add' => static fn(Cache $cache): bool => $cache->add('k', 'new'),
            'replace' => static fn(Cache $cache): bool => $cache->replace('k', 'new'),
            'increment' => static fn(Cache $cache): mixed => [$cache->increment('n'), $cache->increment('k', first: 1)],
            'decrement' => static fn(Cache $cache): int|false => $cache->decrement('n'),
            'touch' => static fn(Cache $cache): bool => $cache->touch('k', 60),
            'expiry' => static fn(Cache $cache): ?float => $cache->expiry('k'),
            'swap' => static fn(Cache $cache): bool => $cache->swap('n', 5, 6),
            'lock' => static fn(Cache $cache): mixed
                => [$cache->lock('lock', seconds: 1), $cache->lock('other', seconds: 1)?->release()],
            'renew' => static fn(Cache $cache): bool => (new Lock($locks($cache), 'lock', 'token'))->renew(1),
            'release' => static fn(Cache $cache): bool => (new Lock($locks($cache), 'lock', 'token'))->release(),
            'remember' => static fn(Cache $cache): mixed
                => $cache->remember('remembered', 60, static fn(): string => 'again'),
            'remember with tags' => static fn(Cache $cache): mixed
                => $cache->remember('tagged', 60, static fn(): string => 'again', tags: ['tag']),
            'generations' => static fn(Cache $cache): mixed => $cache->tagVersions(['tag']),
            'invalidateTags' => static fn(Cache $cache): bool => $cache->invalidateTags(['tag']),
            'delete' => static fn(Cache $cache): bool => $cache->delete('k'),
            'deleteMany' => static fn(Cache $cache): bool => $cache->deleteMany(['k', 'l']),
            'clear' => static fn(Cache $cache): bool => $cache->clear(),
        ];
    }

    /**
     * @param string $scheme the client with this scheme determines the flags
     * @param bool $isLimited true if the store's own format is harmless too
     * @return non-empty-array<string, array{int, string}> flags and bytes
     */
    private static function payloads(string $scheme, bool $isLimited): array
    {
        // Built as a string, because an object of the class would count when it is freed.
        $serialized = \sprintf('O:%d:"%s":0:{}', \strlen(Gadget::class), Gadget::class);
        $igbinary = "\0\0\0\2\x17" . \chr(\strlen(Gadget::class)) . Gadget::class . "\x14\0";
        $payloads = $scheme === 'memcached' ? [
            'serialized' => [4, $serialized],
            'igbinary' => [5, $igbinary],
            'JSON' => [6, '{"a":{"b":[]}}'],
            'compressed' => [4 | 1 << 4 | 1 << 5, pack('V', \strlen($serialized)) . gzcompress($serialized)],
        ] : [
            'serialized' => [1, $serialized],
            'compressed' => [3, (string) gzcompress($serialized)],
        ];
        $payloads['flags of nobody'] = [4_294_967_295, $serialized];

        return $isLimited
            ? [...$payloads, 'without flags' => [0, $serialized], 'without flags, igbinary' => [0, $igbinary]]
            : $payloads;
    }
}

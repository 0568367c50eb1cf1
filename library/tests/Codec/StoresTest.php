<?php

declare(strict_types=1);

namespace Larder\Tests\Codec;

use Larder\Cache;
use Larder\Codec\Failure;
use Larder\Contract\Capability;
use Larder\Internal\Codec\PhpCodec;
use Larder\Internal\Key\NamespaceName;
use Larder\Testing\Values;
use Larder\Tests\Driver\Apcu\ApcuTest;
use Larder\Tests\Driver\Engine\EngineTest;
use Larder\Tests\Driver\Engine\NamespacedEngineTest;
use Larder\Tests\Driver\File\FileTest;
use Larder\Tests\Driver\Memory\ArrayTest;
use Larder\Tests\Driver\PhpFile\PhpFileTest;
use Larder\Tests\Driver\Redis\RedisTest;
use Larder\Tests\Driver\TestedStore;
use Larder\Tests\Servers;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

/** Every store of bytes passes the right arguments to its codec, in every operation. */
final class StoresTest extends TestCase
{
    private const ENVIRONMENT = 'LARDER_TESTS_SIGNING_KEY';

    protected function setUp(): void
    {
        putenv(self::ENVIRONMENT . '=' . str_replace(' ', '-', Codecs::KEY));
    }

    protected function tearDown(): void
    {
        putenv(self::ENVIRONMENT);
    }

    /** @return iterable<string, array{TestedStore, string}> */
    public static function stores(): iterable
    {
        $options = [
            'serializer=msgpack&classes=none',
            'serializer=json',
            'compress=zlib&compress_from=0',
            'serializer=igbinary&compress=zlib&compress_from=9&sign=env:' . self::ENVIRONMENT,
        ];
        foreach (TestedStore::all() as $store) {
            if (!\in_array(
                $store->test,
                [ArrayTest::class, EngineTest::class, NamespacedEngineTest::class, ApcuTest::class, PhpFileTest::class],
                true,
            )) {
                foreach ($options as $option) {
                    yield $store->name . ' ' . $option => [$store, $option];
                }
            }
        }
    }

    #[DataProvider('stores')]
    public function testAllOperationsWorkWithCodecOptions(TestedStore $store, string $options): void
    {
        $cache = $store->open('codec', $options);
        $again = $store->open('codec', $options);
        $cache->clear();
        foreach (['text', ['a' => [1, 2.5, null]], str_repeat('long ', 1000), false] as $value) {
            self::assertTrue($cache->set('k', $value));
            self::assertSame($value, $again->get('k', 'miss'));
            self::assertSame(['k' => $value, 'absent' => 'miss'], $again->getMany(['k', 'absent'], 'miss'));
        }
        $many = ['x' => ['y'], '7' => 'seven', str_repeat('long', 100) => 'a key that is hashed'];
        self::assertTrue($cache->setMany($many, 60));
        self::assertSame($many, $again->getMany(array_keys($many)));
        if ($cache->can(Capability::Atomic)) {
            self::assertTrue($cache->add('new', 'added'));
            self::assertFalse($cache->add('new', 'added again'));
            self::assertTrue($cache->replace('new', ['replaced']));
            self::assertTrue($cache->touch('new', 60));
            self::assertSame(['replaced'], $again->get('new'));
            self::assertSame([6, 7], [$cache->increment('n', first: 5), $again->increment('n')]);
            self::assertTrue($cache->swap('n', 7, 8));
            self::assertSame(8, $again->get('n'));
            $lock = $cache->lock('k', 60);
            self::assertNull($again->lock('k', 60));
            self::assertTrue($lock?->release());
        }
        self::assertSame([[], []], [$cache->failures(), $again->failures()]);
        self::assertTrue($cache->clear());
    }

    public function testChangedCodecReadsOldValues(): void
    {
        $settings = [
            '',
            'serializer=igbinary',
            'serializer=msgpack',
            'serializer=json',
            'compress=zlib&compress_from=0',
            'sign=env:' . self::ENVIRONMENT,
        ];
        foreach (Values::all() as $what => [$value]) {
            if (str_starts_with($what, 'recursive array')) {
                continue; // a Cache makes one more copy, which unrolls it
            }
            foreach ($settings as $writing) {
                (new TestedStore(FileTest::class))->open('codecs', $writing)->set('k', $value);
                foreach ($settings as $reading) {
                    $isRefused = str_starts_with($reading, 'sign') && $writing !== $reading;
                    self::assertSame(
                        serialize($isRefused ? 'miss' : $value),
                        serialize((new TestedStore(
                            FileTest::class,
                        ))->open('codecs', $reading)->store()->get('k', 'miss')),
                        "$what: '$writing' read by '$reading'",
                    );
                }
            }
        }
    }

    public function testForeignValueIsAMissAndCounted(): void
    {
        $cache = (new TestedStore(RedisTest::class))->open('signed', 'sign=env:' . self::ENVIRONMENT);
        $attacker = new \Redis();
        $attacker->connect(Servers::redis()->socket);
        $name = static fn(string $key): string => NamespaceName::prefix(Servers::run() . 'signed') . $key;
        Planted::$made = 0;
        $attacker->set($name('forged'), (new PhpCodec())->encode(new Planted(), 'forged'));
        $cache->set('role:7', 'admin');
        $attacker->set($name('role:8'), $attacker->get($name('role:7')));
        self::assertSame('admin', $cache->get('role:7'), 'the control: where it was written it is read');
        self::assertSame(['forged' => 'miss', 'role:8' => 'miss'], $cache->getMany(['forged', 'role:8'], 'miss'));
        self::assertSame([Failure::Unsigned->value => 1, Failure::Forged->value => 1], $cache->failures());
        self::assertFalse($cache->increment('forged'));
        self::assertSame(0, Planted::$made);
    }

    /** The control of the test above. */
    public function testForeignValueIsReadWithoutSignatures(): void
    {
        $cache = (new TestedStore(RedisTest::class))->open('unsigned');
        $attacker = new \Redis();
        $attacker->connect(Servers::redis()->socket);
        $name = static fn(string $key): string => NamespaceName::prefix(Servers::run() . 'unsigned') . $key;
        Planted::$made = 0;
        $attacker->set($name('forged'), (new PhpCodec())->encode(new Planted(), 'forged'));
        $cache->set('role:7', 'admin');
        $attacker->set($name('role:8'), $attacker->get($name('role:7')));
        self::assertEquals(
            ['forged' => new Planted(), 'role:8' => 'admin'],
            $cache->getMany(['forged', 'role:8'], 'miss'),
        );
        self::assertSame(1, Planted::$made);
        self::assertSame([], $cache->failures());
    }

    public function testFailuresOfAllServersAreCounted(): void
    {
        $socket = Servers::redis()->socket;
        $cache = Cache::open("redis://$socket,$socket?namespace=several" . Servers::run() . '&classes=none');
        $writer = Cache::open("redis://$socket?namespace=several" . Servers::run());
        for ($i = 0; $i < 20; ++$i) {
            $writer->set("k$i", new \stdClass());
            self::assertNull($cache->get("k$i"));
        }
        self::assertSame([Failure::ClassNotAllowed->value => 20], $cache->failures());
        $writer->clear();
    }
}

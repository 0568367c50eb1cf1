<?php

declare(strict_types=1);

namespace Larder\Tests\Deployment;

use Larder\Cache;
use Larder\Dsn\Endpoint;
use Larder\Internal\Driver\Redis\Wire\WireConnection;
use Larder\Server\ConnectionSettings;
use Larder\Tests\Driver\Apcu\ApcuTest;
use Larder\Tests\Driver\Engine\EngineTest;
use Larder\Tests\Driver\Engine\NamespacedEngineTest;
use Larder\Tests\Driver\Memory\ArrayTest;
use Larder\Tests\Driver\TestedStore;
use Larder\Tests\PhpProcess;
use Larder\Tests\Servers;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

/** An object that no longer fits its class is a miss, never an error, on every store and with every serializer. */
final class DeploymentTest extends TestCase
{
    /** @return iterable<string, array{\Closure(): Cache}> */
    public static function stores(): iterable
    {
        foreach (TestedStore::all() as $store) {
            $serializers = match ($store->test) {
                ArrayTest::class => [], // gone with its process
                EngineTest::class, NamespacedEngineTest::class, ApcuTest::class => [''],
                default => ['serializer=php', 'serializer=igbinary', 'serializer=msgpack', 'serializer=json'],
            };
            foreach ($serializers as $serializer) {
                yield trim("$store->name $serializer") => [static fn(): Cache => $store->open('deployed', $serializer)];
            }
        }
        yield 'tier of apcu and file' => [
            static fn(): Cache
                => self::tier('apcu:?namespace=%s', 'file://%s?namespace=%s', Servers::directory('deployed')),
        ];
        yield 'tier of larder and redis' => [
            static fn(): Cache
                => self::tier('larder:?namespace=%s', 'redis://%s?namespace=%s', Servers::redis()->socket),
        ];
    }

    /** @param \Closure(): Cache $open */
    #[DataProvider('stores')]
    public function testIncompatibleObjectIsAMiss(\Closure $open): void
    {
        $open()->clear();
        self::assertMissesAlone(...Deployment::run($open));
        $open()->clear();
    }

    /** A value in a later format of the library is a miss here, and is not deleted. */
    public function testUnknownFormatIsAMissAndStays(): void
    {
        $cache = Cache::open('redis://' . Servers::redis()->socket . '?namespace=versions');
        $server = WireConnection::open(new ConnectionSettings(Endpoint::unix(Servers::redis()->socket)));
        foreach (["\x0A", "\x1F", "\x7F", '~', "\xFF"] as $format) {
            $bytes = $format . serialize('of another version');
            $server->ask(['SET', 'larder-cache:versions:k', $bytes]);
            self::assertSame(
                ['none', ['k' => 'none'], null],
                [$cache->get('k', 'none'), $cache->getMany(['k'], 'none'), $cache->expiry('k')],
            );
            self::assertFalse($cache->increment('k'));
            self::assertFalse($cache->swap('k', 1, 2));
            self::assertFalse($cache->add('k', 'mine'));
            self::assertSame(
                $bytes,
                $server->ask(['GET', 'larder-cache:versions:k']),
                'for the version that can read it',
            );
            self::assertTrue($cache->set('k', 'mine'));
            self::assertSame('mine', $cache->get('k'), 'the control');
            $server->ask(['SET', 'larder-cache:versions:k', $bytes]);
            $cache->remember('k', 60, static fn(): int => 1);
            self::assertSame(1, $cache->get('k'));
        }
        self::assertTrue($cache->clear());
    }

    /** @return iterable<string, array{string, string}> */
    public static function settings(): iterable
    {
        foreach (['php', 'igbinary'] as $serializer) {
            yield "larder: with larder.serializer=$serializer" => ['larder:', "larder.serializer=$serializer"];
        }
        foreach (['php', 'igbinary', 'default'] as $serializer) {
            yield "apcu: with apc.serializer=$serializer" => ['apcu:', "apc.serializer=$serializer"];
        }
        foreach (['php', 'igbinary', 'msgpack'] as $serializer) {
            yield "$serializer without ini_set()" => [
                'file://%s?serializer=' . $serializer,
                'disable_functions=ini_set,ini_alter',
            ];
        }
    }

    #[DataProvider('settings')]
    public function testIncompatibleObjectIsAMissWithOtherPhpSettings(string $address, string $setting): void
    {
        $address = \sprintf($address, Servers::directory('deployed-settings'));
        $printed = PhpProcess::run(
            \sprintf(
                'apcu_enabled(); echo serialize(%s::run(static fn() => Larder\Cache::open(%s)));',
                Deployment::class,
                var_export($address, true),
            ),
            [
                ...(PhpProcess::hasEngine() ? [] : PhpProcess::withEngine()),
                '-d',
                'larder.segment=' . \ini_get('larder.segment'),
                '-d',
                'apc.enable_cli=1',
                '-d',
                $setting,
            ],
        );
        /** @var array{array<string, array<string, string>>, array<string, int>}|false $result */
        $result = @unserialize($printed);
        self::assertIsArray($result, $printed);
        self::assertMissesAlone(...$result);
    }

    /**
     * @param array<string, array<string, string>> $read
     * @param array<string, int> $failures
     */
    private static function assertMissesAlone(array $read, array $failures): void
    {
        $wrong = [];
        foreach ($read as $name => $results) {
            $isReadable = \in_array($name, Deployment::READABLE, true);
            foreach ($results as $way => $result) {
                $isRight = match (true) {
                    $way === 'set' => $result === 'new',
                    $isReadable => str_starts_with($result, 'hit') && !str_contains($result, 'Incomplete'),
                    default => $result === 'miss',
                };
                if (!$isRight) {
                    $wrong[] = "$name: $way: $result";
                }
            }
        }
        self::assertSame([], $wrong);
        self::assertGreaterThanOrEqual(
            \count($read) - \count(Deployment::READABLE),
            array_sum($failures),
            'each was counted',
        );
    }

    private static function tier(string $local, string $shared, string $place): Cache
    {
        $name = Servers::run() . 'tiers';

        return Cache::open(\sprintf("tier:($local)($shared)", $name, $place, $name));
    }
}

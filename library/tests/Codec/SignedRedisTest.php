<?php

declare(strict_types=1);

namespace Larder\Tests\Codec;

use Larder\Cache;
use Larder\Internal\Key\NamespaceName;
use Larder\Tests\Servers;
use PHPUnit\Framework\Attributes\DataProvider;
use Predis\Client;

final class SignedRedisTest extends SignedStoreTestCase
{
    protected static function dsn(): string
    {
        return 'redis://' . Servers::redis()->socket;
    }

    protected function tooLarge(): string
    {
        return random_bytes(2 << 20);
    }

    protected function isLocal(): bool
    {
        return false;
    }

    /** @return iterable<string, array{\Closure(int): Cache}> a signed cache in a database */
    public static function clients(): iterable
    {
        $options = 'namespace=signed-places&sign=env:LARDER_TESTS_SIGNED_PLACES';
        yield 'a DSN' => [static fn(int $database): Cache => Cache::open(
            \sprintf('%s?database=%d&%s', self::dsn(), $database, $options) . Servers::PATIENTLY,
        )];
        yield 'Predis' => [static fn(int $database): Cache => Cache::open(
            \sprintf('%s?client=predis&database=%d&%s', self::dsn(), $database, $options) . Servers::PATIENTLY,
        )];
        yield 'phpredis of the application' => [static function (int $database) use ($options): Cache {
            $client = new \Redis();
            $client->connect(Servers::redis()->socket);
            $client->select($database);

            return Cache::over($client, $options);
        }];
        yield 'Predis of the application' => [static fn(int $database): Cache => Cache::over(
            new Client(['scheme' => 'unix', 'path' => Servers::redis()->socket, 'database' => $database]),
            $options,
        )];
    }

    /** @param \Closure(int): Cache $open */
    #[DataProvider('clients')]
    public function testSignedEntryIsReadInItsDatabaseAlone(\Closure $open): void
    {
        putenv('LARDER_TESTS_SIGNED_PLACES=' . str_replace(' ', '-', Codecs::KEY));
        $raw = new \Redis();
        $raw->connect(Servers::redis()->socket);
        foreach ([[0, 4], [4, 0], [4, 5]] as [$from, $to]) {
            $cache = $open($from);
            self::assertTrue($cache->set('k', 'of this place') && $cache->set('n', 1, 60));
            $name = NamespaceName::prefix('signed-places') . 'k';
            $raw->select($from);
            self::assertSame(1, $raw->rawcommand('COPY', $name, $name, 'DB', (string) $to, 'REPLACE'));
            $there = $open($to);
            self::assertNull($there->get('k'));
            self::assertSame(['forged' => 1], $there->failures());
            foreach (self::clients() as $client => [$other]) {
                self::assertSame(
                    ['k' => 'of this place', 'n' => 1],
                    $other($from)->getMany(['k', 'n']),
                    "the control: $client reads it where it is",
                );
            }
            self::assertTrue($there->clear() && $cache->clear());
        }
    }
}

<?php

declare(strict_types=1);

namespace Larder\Tests\Driver\Redis;

use Larder\Cache;
use Larder\Dsn\Endpoint;
use Larder\Internal\Driver\Redis\Phpredis;
use Larder\Internal\Driver\Redis\RedisStore;
use Larder\Server\ConnectionSettings;
use Larder\Tests\Servers;

final class RedisTest extends RedisTestCase
{
    protected static function client(): string
    {
        return 'phpredis';
    }

    protected function programsConnection(string $host, int $port): array
    {
        return [
            \sprintf('$client = new Redis(); $client->pconnect(%s, %d);', var_export($host, true), $port),
            '$client->auth(["other", "word"]);',
            '$client->select(3);',
            '$client->rawcommand("CLIENT", "INFO")',
        ];
    }

    /** MONITOR leaves replies in the persistent connection, like a request that dies before it has read its own. */
    public function testKeptConnectionWithRepliesOfADiedRequestIsNotUsed(): void
    {
        $kept = static fn(): Phpredis
            => new Phpredis(new ConnectionSettings(Endpoint::unix(Servers::redis()->socket), persistent: true), 2);
        self::assertTrue((new RedisStore($kept(), 'died'))->set('k', 'value'));
        $died = $kept();
        (new RedisStore($died, 'died'))->get('k');
        $client = (new \ReflectionProperty($died, 'client'))->getValue($died);
        self::assertInstanceOf(\Redis::class, $client);
        self::assertTrue($client->rawcommand('MONITOR'));
        unset($died, $client);
        $client = new \Redis();
        $client->connect(Servers::redis()->socket);
        $client->ping('left behind');
        foreach (range(1, 3) as $_) {
            self::assertSame('value', (new RedisStore($kept(), 'died'))->get('k'));
            self::assertTrue((new RedisStore($kept(), 'died'))->has('k'));
        }
        self::assertSame('1', \ini_get('redis.pconnect.echo_check_liveness'), 'the setting of the application stays');
        self::assertTrue((new RedisStore($kept(), 'died'))->clear());
    }

    /** The first reply comes together with the proof, so everything that may be wrong with it is checked there. */
    public function testFirstReadOfAKeptConnectionIsTheKeysOwn(): void
    {
        $open = static fn(string $login = ''): Cache => Cache::open(Servers::patiently(
            \sprintf('redis://%s127.0.0.1:%d/4?persistent=1&namespace=first', $login, Servers::redis()->port),
        ));
        foreach (['a' => 'value of a', 'b' => ['value', 'of b']] as $key => $value) {
            self::assertTrue($open()->set($key, $value));
        }
        $raw = new \Redis();
        $raw->connect(Servers::redis()->socket);
        $raw->select(4);
        $raw->rPush('larder-cache:first:list', 'of another kind');
        foreach (range(1, 2) as $_) {
            self::assertSame(
                ['value of a', ['value', 'of b'], null, null],
                array_map(static fn(string $key): mixed => $open()->get($key), ['a', 'b', 'none', 'list']),
            );
            $cache = $open();
            self::assertSame(
                ['value of a', ['value', 'of b'], 'value of a'],
                [$cache->get('a'), $cache->get('b'), $cache->get('a')],
            );
        }
        $raw->rawcommand('CLIENT', 'KILL', 'TYPE', 'normal');
        self::assertSame('value of a', $open()->get('a'), 'the server has closed it');
        self::assertTrue($open()->clear());
    }
}

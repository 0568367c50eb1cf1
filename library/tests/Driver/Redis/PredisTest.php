<?php

declare(strict_types=1);

namespace Larder\Tests\Driver\Redis;

use Larder\Dsn\Endpoint;
use Larder\Exception\StoreFailed;
use Larder\Internal\Driver\Redis\Predis;
use Larder\Internal\Driver\Redis\RedisStore;
use Larder\Server\ConnectionSettings;
use Larder\Tests\Driver\Memcached\FakeMemcached;
use PHPUnit\Framework\Attributes\DataProvider;

final class PredisTest extends RedisTestCase
{
    protected static function client(): string
    {
        return 'predis';
    }

    protected function programsConnection(string $host, int $port): array
    {
        $where = $port === 0
            ? ['scheme' => 'unix', 'path' => $host]
            : ['scheme' => 'tcp', 'host' => $host, 'port' => $port];

        return [
            \sprintf('$client = new Predis\Client(%s);', var_export(['persistent' => true, ...$where], true)),
            '$client->executeRaw(["AUTH", "other", "word"]);',
            '$client->select(3);',
            '$client->executeRaw(["CLIENT", "INFO"])',
        ];
    }

    /** @return iterable<string, array{string}> */
    public static function malformedReplies(): iterable
    {
        foreach ([
            '$-5', '$x', '$', '*-5', '*x', ':x', '+OK', '+0', '?', '', '-', '*2|+0|+0', '*2|$1|0|+x', '*2|*0|*0',
            '*1|$1|0', '*1|$-5', '*0', '$-1', '*-1',
        ] as $reply) {
            yield $reply => [strtr($reply, ['|' => "\r\n"]) . "\r\n"];
        }
    }

    /** Not tested with phpredis: version 5.3 ends PHP at a length of -5. */
    #[DataProvider('malformedReplies')]
    public function testMalformedReplyIsAFailureOrAMiss(string $reply): void
    {
        $commands = [
            'GET', 'MGET', 'EXISTS', 'SET', 'PSETEX', 'UNLINK', 'SCAN', 'INCRBY', 'EVAL', 'EVALSHA', 'PEXPIRE',
            'PERSIST',
        ];
        $server = FakeMemcached::start(static fn(string $line): array => match (true) {
            $line === 'PING' => ["+PONG\r\n"],
            $line === 'SELECT' => ["+OK\r\n"],
            \in_array($line, $commands, true) => [$reply],
            default => [],
        });
        $calls = [
            static fn(RedisStore $store): mixed => $store->get('k'),
            static fn(RedisStore $store): array => $store->getMany(['k', 'l']),
            static fn(RedisStore $store): bool => $store->has('k'),
            static fn(RedisStore $store): bool => $store->set('k', 1),
            static fn(RedisStore $store): bool => $store->set('k', 1, 60),
            static fn(RedisStore $store): bool => $store->setMany(['k' => 1, 'l' => 1]),
            static fn(RedisStore $store): bool => $store->delete('k'),
            static fn(RedisStore $store): bool => $store->deleteMany(['k', 'l']),
            static fn(RedisStore $store): bool => $store->clear(),
            static fn(RedisStore $store): array => [...$store->keys()],
            static fn(RedisStore $store): array => $store->entries(['k']),
            static fn(RedisStore $store): int|false => $store->increment('k'),
            static fn(RedisStore $store): bool => $store->add('k', 1),
            static fn(RedisStore $store): bool => $store->touch('k', 60),
            static fn(RedisStore $store): bool => $store->setIfToken('k', sha1(''), 1),
        ];
        foreach ($calls as $call) {
            try {
                self::assertNotInstanceOf(
                    \Closure::class,
                    $call(
                        new RedisStore(new Predis(new ConnectionSettings(Endpoint::unix($server->socket), 1.0, 0.2))),
                    ),
                );
            } catch (StoreFailed $failure) {
                self::assertSame('redis', $failure->store);
            }
        }
        $server->stop();
    }
}

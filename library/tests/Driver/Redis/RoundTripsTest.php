<?php

declare(strict_types=1);

namespace Larder\Tests\Driver\Redis;

use Larder\Cache;
use Larder\Cli\Server\RedisServer;
use Larder\Tests\Servers;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

/** Tests the commands of a call: unlike its duration, the number of round trips does not depend on the machine. */
final class RoundTripsTest extends TestCase
{
    private const REDIS = 'redis://%s?namespace=trips' . Servers::PATIENTLY;
    private const TIER = 'tier:(array:)(' . self::REDIS . ')?poll=60';

    private static RedisServer $server;

    public static function setUpBeforeClass(): void
    {
        self::$server = RedisServer::start(Servers::directory('redis-trips'));
    }

    public static function tearDownAfterClass(): void
    {
        self::$server->stop();
    }

    /**
     * @return iterable<string, array{\Closure(Cache): mixed, list<string>, 2?: string}> the call, and its commands in
     *         order
     */
    public static function calls(): iterable
    {
        $many = array_map(static fn(int $n): string => 'key ' . $n, range(1, 900));
        yield 'get' => [static fn(Cache $cache): mixed => $cache->get('k'), ['GET']];
        yield 'getMany' => [static fn(Cache $cache): mixed => $cache->getMany($many), ['MGET']];
        yield 'has' => [static fn(Cache $cache): mixed => $cache->has('k'), ['GET']];
        yield 'set' => [static fn(Cache $cache): mixed => $cache->set('k', 'value'), ['SET']];
        yield 'set with a ttl' => [static fn(Cache $cache): mixed => $cache->set('k', 'value', 60), ['PSETEX']];
        yield 'delete' => [static fn(Cache $cache): mixed => $cache->delete('k'), ['UNLINK']];
        yield 'deleteMany' => [static fn(Cache $cache): mixed => $cache->deleteMany($many), ['UNLINK']];
        yield 'invalidateTags' => [
            static fn(Cache $cache): mixed => $cache->invalidateTags(['a', 'b', 'c']),
            ['UNLINK'],
        ];
        yield 'add' => [static fn(Cache $cache): mixed => $cache->add(bin2hex(random_bytes(8)), 1), ['SET']];
        yield 'increment' => [static fn(Cache $cache): mixed => $cache->increment('n'), ['INCRBY']];
        yield 'decrement' => [static fn(Cache $cache): mixed => $cache->decrement('n', 5), ['INCRBY']];
        yield 'increment with a ttl' => [
            static fn(Cache $cache): mixed => $cache->increment('t', ttl: 60),
            ['EVALSHA'],
        ];
        yield 'increment from a number' => [
            static fn(Cache $cache): mixed => $cache->increment('f', first: 100),
            ['EVALSHA'],
        ];
        yield 'touch' => [static fn(Cache $cache): mixed => $cache->touch('stays', 60), ['GET', 'PEXPIRE']];
        yield 'expiry' => [static fn(Cache $cache): mixed => $cache->expiry('stays'), ['EVALSHA']];
        yield 'getWithToken' => [
            static fn(Cache $cache): mixed => $cache->getWithToken('stays', null, $token),
            ['GET'],
        ];
        yield 'setIfUnchanged with an old token' => [
            static fn(Cache $cache): mixed => $cache->setIfUnchanged('stays', 'old', 2),
            ['EVALSHA'],
        ];
        yield 'setIfUnchanged' => [self::change(...), ['GET', 'EVALSHA']];
        yield 'setIfUnchanged of a value that was computed' => [static function (Cache $cache): void {
            $cache->remember($key = bin2hex(random_bytes(8)), 60, static fn(): int => 1);
            self::change($cache, $key);
        }, ['GET', 'SET', 'EVALSHA', 'GET', 'EVALSHA']];
        yield 'setIfUnchanged of a value with tags, whose versions it asks for' => [
            static function (Cache $cache): void {
                $cache->set('tagged', 1, tags: ['a']);
                self::change($cache, 'tagged');
            },
            ['MGET', 'SET', 'GET', 'GET', 'GET', 'GET', 'EVALSHA'],
        ];
        yield 'a tier reads with a token, and sets' => [
            self::change(...),
            ['GET', 'EVALSHA', 'EVALSHA', 'PSETEX'],
            self::TIER,
        ];
        yield 'lock' => [static fn(Cache $cache): mixed => $cache->lock('l', 10)?->release(), ['SET', 'EVALSHA']];
        yield 'remember a value that is there' => [
            static fn(Cache $cache): mixed => $cache->remember('stays', 60, static fn(): int => 1),
            ['GET'],
        ];
        // the value, the placeholder, the result
        yield 'remember a new value' => [
            static fn(Cache $cache): mixed => $cache->remember(bin2hex(random_bytes(8)), 60, static fn(): int => 1),
            ['GET', 'SET', 'EVALSHA'],
        ];
        yield 'a tier reads what it has no copy of' => [
            static fn(Cache $cache): mixed => $cache->get('absent'),
            ['EVALSHA'],
            self::TIER,
        ];
        yield 'a tier reads many' => [
            static fn(Cache $cache): mixed => $cache->getMany(['absent', 'absent too']),
            ['EVALSHA'],
            self::TIER,
        ];
        // the value, the number of the change, what was changed
        yield 'a tier writes' => [
            static fn(Cache $cache): mixed => $cache->set('k', 'value'),
            ['SET', 'EVALSHA', 'PSETEX'],
            self::TIER,
        ];
        yield 'a tier deletes many' => [
            static fn(Cache $cache): mixed => $cache->deleteMany($many),
            ['UNLINK', 'EVALSHA', 'PSETEX'],
            self::TIER,
        ];
    }

    /**
     * @param \Closure(Cache): mixed $call
     * @param list<string> $commands
     */
    #[DataProvider('calls')]
    public function testCallSendsTheseCommands(\Closure $call, array $commands, string $dsn = self::REDIS): void
    {
        $cache = Cache::open(\sprintf($dsn, self::$server->socket));
        $cache->set('stays', 1);
        $call($cache); // connects, and loads the scripts
        self::assertSame($commands, self::commands(static fn(): mixed => $call($cache)));
        $cache->clear();
    }

    /** Reads with a token, and sets with it. */
    private static function change(Cache $cache, string $key = 'stays'): void
    {
        $cache->getWithToken($key, null, $token);
        self::assertIsString($token);
        self::assertTrue($cache->setIfUnchanged($key, $token, bin2hex(random_bytes(4))));
    }

    /** The server forgets scripts at a restart. */
    public function testForgottenScriptIsSentWhole(): void
    {
        $cache = Cache::open(\sprintf(self::REDIS, self::$server->socket));
        self::assertSame(1, $cache->increment('t', ttl: 60));
        self::raw()->script('flush');
        self::assertSame(['EVALSHA', 'EVAL'], self::commands(static fn(): mixed => $cache->increment('t', ttl: 60)));
        self::assertSame(['EVALSHA'], self::commands(static fn(): mixed => $cache->increment('t', ttl: 60)));
        self::assertSame(3, $cache->get('t'));
        $cache->clear();
    }

    /** @return list<string> commands sent during the call, without those of scripts */
    private static function commands(\Closure $work): array
    {
        $monitor = stream_socket_client('unix://' . self::$server->socket);
        self::assertIsResource($monitor);
        fwrite($monitor, "MONITOR\r\n");
        self::assertSame("+OK\r\n", fgets($monitor));
        $work();
        self::raw()->rawcommand('ECHO', 'that was all');
        $commands = [];
        for ($line = ''; !str_contains($line, 'that was all');) {
            $line = (string) fgets($monitor);
            self::assertNotSame('', $line);
            if (preg_match('/^\S+ \[\d+ (?!lua)[^]]*\] "(\w+)"/', $line, $command) === 1) {
                $commands[] = $command[1];
            }
        }

        return \array_slice($commands, 0, -1);
    }

    private static function raw(): \Redis
    {
        $raw = new \Redis();
        $raw->connect(self::$server->socket);

        return $raw;
    }
}

<?php

declare(strict_types=1);

namespace Larder\Tests\Decorator\Breaker;

use Larder\Tests\PhpProcess;
use Larder\Tests\Servers;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\TestCase;

/** A server accepts connections and never answers, and processes use it one after another, like requests. */
#[Group('waiting')]
final class SilentServerTest extends TestCase
{
    private const PROCESSES = 10;
    private const TIMEOUT = 1.0;
    /** Shortest time in seconds before the first probe, each of which waits too. */
    private const PAUSE = 2.5;

    /** @return iterable<string, array{string}> */
    public static function addresses(): iterable
    {
        yield 'phpredis' => ['redis://%s?timeout=%s'];
        yield 'phpredis, persistent' => ['redis://%s?timeout=%s&persistent=1'];
        yield 'Predis' => ['redis://%s?timeout=%s&client=predis'];
        yield 'memcached' => ['memcached://%s?timeout=%s'];
        yield 'memcache' => ['memcache://%s?timeout=%s'];
        yield 'MySQL' => ['mysql://user:password@%s/database?timeout=%s'];
    }

    #[DataProvider('addresses')]
    public function testOutageCostsTwoTimeoutsAndNoException(string $address): void
    {
        [$server, $where] = self::silent();
        $address = \sprintf($address, $where, self::TIMEOUT);
        $code = \sprintf(
            '$found = Larder\Cache::open(%s)->get("k", "a miss"); echo $found;',
            var_export($address, true),
        );
        $log = Servers::directory('silent') . '/' . bin2hex(random_bytes(4));
        $start = microtime(true);
        $waited = 0;
        for ($process = 0; $process < self::PROCESSES; ++$process) {
            $said = PhpProcess::run(\sprintf('ini_set("error_log", %s); ', var_export($log, true)) . $code);
            self::assertSame('a miss', $said);
            $waited += (int) self::hasConnected($server);
        }
        $probes = (int) ((microtime(true) - $start) / self::PAUSE);
        self::assertGreaterThan(0, $waited);
        self::assertLessThanOrEqual(
            2 + max(0, $probes - 1),
            $waited,
            'on a busy machine the time for a probe may come',
        );
        $lines = (array) file($log);
        self::assertCount(1, $lines);
        self::assertMatchesRegularExpression('~larder: \w+ at \S+ is away: ~', (string) $lines[0]);
        fclose($server);
    }

    /** The control: no shared record. */
    public function testEveryRequestWaitsWithoutSharedRecord(): void
    {
        [$server, $where] = self::silent();
        $code = <<<'PHP'
            $store = new Larder\Internal\Driver\Redis\RedisStore(new Larder\Internal\Driver\Redis\Phpredis(new Larder\Server\ConnectionSettings(Larder\Dsn\Endpoint::tcp('127.0.0.1', %d), 0.3, 0.3)));
            $start = microtime(true);
            (new Larder\Internal\Decorator\Breaker\BreakerStore($store, new Larder\Internal\Decorator\Breaker\Breaker('redis', 'there')))->get('k');
            echo microtime(true) - $start;
            PHP;
        for ($process = 0; $process < 5; ++$process) {
            self::assertGreaterThan(0.27, (float) PhpProcess::run(\sprintf($code, explode(':', $where)[1])));
        }
        fclose($server);
    }

    /**
     * True if a client has connected since the last call. It then waits for a reply.
     *
     * @param resource $server
     */
    private static function hasConnected(mixed $server): bool
    {
        $hasConnected = false;
        while (@stream_socket_accept($server, 0) !== false) {
            $hasConnected = true;
        }

        return $hasConnected;
    }

    /** @return array{resource, string} the kernel accepts its connections, and no program reads them */
    private static function silent(): array
    {
        $context = stream_context_create(['socket' => ['backlog' => 100]]);
        $server = stream_socket_server(
            'tcp://127.0.0.1:0',
            $code,
            $message,
            \STREAM_SERVER_BIND | \STREAM_SERVER_LISTEN,
            $context,
        );
        self::assertNotFalse($server);

        return [$server, (string) stream_socket_get_name($server, false)];
    }
}

<?php

declare(strict_types=1);

namespace Larder\Tests\Server;

use Larder\Cache;
use Larder\Exception\InvalidDsn;
use Larder\Testing\AssertsThrows;
use Larder\Tests\Servers;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\TestCase;

/** connect_timeout and read_timeout: each limits its own wait, and not the other. */
#[Group('waiting')]
final class TimeoutsTest extends TestCase
{
    use AssertsThrows;

    private const SHORT = 0.2;
    private const LONG = 2.5;

    /** @return iterable<string, array{string}> */
    public static function clients(): iterable
    {
        return Servers::clients();
    }

    #[DataProvider('clients')]
    public function testReadTimeoutEndsTheWaitForAReply(string $dsn): void
    {
        $server = Servers::another($dsn);
        $port = '127.0.0.1:' . $server->port;
        $open = static fn(float $connect, float $read): Cache => Cache::open(
            \sprintf($dsn, $port) . (str_contains($dsn, '?') ? '&' : '?')
                . "connect_timeout=$connect&read_timeout=$read",
        );
        $caches = [$open(self::LONG, self::SHORT), $open(self::SHORT, self::LONG)];
        foreach ($caches as $cache) {
            $cache->set('k', 1);
        }
        $process = self::listener($server->port);
        Servers::freeze($process);
        $seconds = array_map(self::secondsOfAGet(...), $caches);
        posix_kill($process, \SIGCONT);
        $server->stop();
        self::assertGreaterThanOrEqual(self::SHORT, $seconds[0]);
        self::assertLessThan(self::LONG, $seconds[0]);
        self::assertGreaterThanOrEqual(self::LONG, $seconds[1]);
    }

    #[DataProvider('clients')]
    public function testConnectTimeoutEndsTheWaitForAConnection(string $dsn): void
    {
        // When the queue is full, the kernel answers no further connection requests.
        $listener = stream_socket_server(
            'tcp://127.0.0.1:0',
            context: stream_context_create(['socket' => ['backlog' => 0]]),
        );
        self::assertNotFalse($listener);
        $address = (string) stream_socket_get_name($listener, false);
        $queue = [];
        for ($i = 0; $i < 4; ++$i) {
            $queue[] = @stream_socket_client(
                'tcp://' . $address,
                timeout: 0.1,
                flags: \STREAM_CLIENT_CONNECT | \STREAM_CLIENT_ASYNC_CONNECT,
            );
        }
        usleep(50_000);
        $open = static fn(float $connect, float $read): Cache => Cache::open(
            \sprintf($dsn, $address) . (str_contains($dsn, '?') ? '&' : '?')
                . "connect_timeout=$connect&read_timeout=$read",
        );
        $seconds = array_map(
            self::secondsOfAGet(...),
            [$open(self::SHORT, self::LONG), $open(self::LONG, self::SHORT)],
        );
        self::assertCount(4, $queue);
        self::assertGreaterThanOrEqual(self::SHORT - 0.01, $seconds[0]);
        self::assertLessThan(self::LONG, $seconds[0]);
        self::assertGreaterThanOrEqual(self::LONG - 0.01, $seconds[1]);
    }

    public function testTimeoutsAreNumbers(): void
    {
        foreach (['connect_timeout=0', 'read_timeout=soon', 'timeout=-1'] as $option) {
            self::assertThrows(
                InvalidDsn::class,
                static fn(): Cache => Cache::open('redis://127.0.0.1?' . $option),
                'that is not a number from 0.001 to 3600',
            );
        }
    }

    private static function secondsOfAGet(Cache $cache): float
    {
        $start = microtime(true);
        self::assertSame('miss', $cache->get('k', 'miss'));

        return microtime(true) - $start;
    }

    /** The process that listens on the port, not one that has the other socket of the same server. */
    private static function listener(int $port): int
    {
        $inode = preg_match(
            \sprintf('/ 0100007F:%04X 00000000:0000 0A(?:\s+\S+){5}\s+(\d+) /', $port),
            (string) file_get_contents('/proc/net/tcp'),
            $match,
        ) === 1
            ? $match[1]
            : '';
        foreach ((array) glob('/proc/[0-9]*/fd/*') as $link) {
            if (@readlink((string) $link) === "socket:[$inode]") {
                return (int) explode('/', (string) $link)[2];
            }
        }
        self::fail("nobody listens on port $port");
    }
}

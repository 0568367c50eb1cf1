<?php

declare(strict_types=1);

namespace Larder\Tests\Driver\Redis\Wire;

use Larder\Cache;
use Larder\Dsn\Endpoint;
use Larder\Internal\Driver\Redis\Wire\ServerGone;
use Larder\Internal\Driver\Redis\Wire\WireConnection;
use Larder\Internal\Server\Credentials;
use Larder\Server\ConnectionSettings;
use Larder\Testing\AssertsThrows;
use Larder\Testing\Fork;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

/** Servers that send wrong, endless or incomplete answers. */
final class WireConnectionTest extends TestCase
{
    use AssertsThrows;

    /**
     * @return iterable<string, array{string, string, float, string}> the beginning, the part that is repeated, the time
     *         limit, and the expected message
     */
    public static function answersWithoutEnd(): iterable
    {
        yield 'a byte at a time' => ["$1000\r\n", 'x', 0.3, 'no answer from'];
        yield 'what nobody has asked for' => ['', ">1\r\n+x\r\n", 0.3, 'no answer from'];
        yield 'gigabytes' => ["$2000000000\r\n", str_repeat('x', 1 << 18), 10.0, 'a message of more than'];
    }

    #[DataProvider('answersWithoutEnd')]
    public function testAnswerWithoutEndIsNotWaitedFor(
        string $first,
        string $again,
        float $timeout,
        string $expected,
    ): void {
        [$address, $server] = self::server(static function ($client) use ($first, $again): void {
            fread($client, 8192);
            fwrite($client, $first);
            for ($end = microtime(true) + 20; microtime(true) < $end && fwrite($client, $again) === \strlen($again);) {
                usleep(10_000);
            }
        });
        $start = microtime(true);
        self::assertThrows(
            ServerGone::class,
            static fn(): mixed
                => WireConnection::open(new ConnectionSettings(Endpoint::parse($address), 10.0, $timeout))->ask([
                    'ROLE',
                ]),
            $expected,
        );
        self::assertLessThan(10.0, microtime(true) - $start, 'the control: the server goes on for 20 s');
        $server->kill();
    }

    /** @return iterable<string, array{string}> */
    public static function namesOfServers(): iterable
    {
        yield 'no text' => ["\xff\xfe"];
        yield 'a path' => ['/run/other.sock'];
        yield 'a URL' => ['tls://other.example'];
        yield 'line ends' => ["other\r\n.example"];
    }

    #[DataProvider('namesOfServers')]
    public function testWhatIsNoNameOfAServerIsNotConnectedTo(string $name): void
    {
        [$address, $server] = self::server(static function ($client) use ($name): void {
            while (fread($client, 8192) !== '') {
                fwrite(
                    $client,
                    \sprintf("*1\r\n*3\r\n:0\r\n:16383\r\n*2\r\n$%d\r\n%s\r\n:7\r\n", \strlen($name), $name),
                );
            }
        });
        self::assertSame('miss', Cache::open('redis+cluster://' . $address)->get('k', 'miss'));
        $server->kill();
    }

    /** The server may repeat the password. */
    public function testAnswerToALoginIsNotRepeated(): void
    {
        [$address, $server] = self::server(static function ($client): void {
            $words = explode("\r\n", (string) fread($client, 8192));
            fwrite($client, \sprintf("-%s is no password\r\n", $words[6]));
            fread($client, 1);
        });
        $settings = new ConnectionSettings(
            Endpoint::parse($address),
            10.0,
            10.0,
            credentials: new Credentials('shop', 'zqxwvkjy'),
        );
        $gone = self::assertThrows(
            ServerGone::class,
            static fn(): WireConnection => WireConnection::open($settings),
            'refuses AUTH',
        );
        self::assertStringNotContainsString('zqxwvkjy', (string) $gone);
        $server->kill();
    }

    /** Even with the operator @, a warning reaches the program's error handler together with the bytes sent. */
    public function testErrorHandlerIsNotCalledWithWhatIsSent(): void
    {
        [$address, $server] = self::server(static function ($client): void {
            fclose($client);
        });
        $connection = WireConnection::open(new ConnectionSettings(Endpoint::parse($address), 10.0, 10.0));
        $shown = '';
        $sent = 0;
        set_error_handler(static function () use (&$shown): bool {
            $shown .= print_r(debug_backtrace(), true);

            return true;
        });

        try {
            while ($sent < 100) {
                try {
                    $connection->send(['AUTH', 'shop', 'zqxwvkjy']);
                    ++$sent;
                    usleep(1000);
                } catch (ServerGone) {
                    break;
                }
            }
        } finally {
            restore_error_handler();
        }
        self::assertLessThan(100, $sent, 'it was noticed');
        self::assertStringNotContainsString('zqxwvkjy', $shown);
        $server->kill();
    }

    /**
     * @param \Closure(resource): void $answer
     * @return array{string, Fork} "host:port" of a server, and its process
     */
    private static function server(\Closure $answer): array
    {
        $listener = stream_socket_server('tcp://127.0.0.1:0');
        self::assertIsResource($listener);
        $process = Fork::start(static function () use ($listener, $answer): void {
            while (($client = stream_socket_accept($listener, 60)) !== false) {
                @$answer($client);
            }
        });

        return [(string) stream_socket_get_name($listener, false), $process];
    }
}

<?php

declare(strict_types=1);

namespace Larder\Tests\Driver\Memcached;

use Larder\Exception\StoreFailed;
use Larder\Internal\Driver\Memcached\MemcachedStream;
use Larder\Internal\Driver\Memcached\TextConnection;
use Larder\Testing\AssertsThrows;
use Larder\Testing\Fork;
use Larder\Tests\Servers;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\TestCase;

/** How the client of memcached's text protocol handles slow, broken and hostile servers. */
#[Group('waiting')]
final class TextConnectionTest extends TestCase
{
    use AssertsThrows;

    private const GENEROUS_SECONDS = 10.0;

    private ?FakeMemcached $server = null;

    protected function tearDown(): void
    {
        $this->server?->stop();
        $this->server = null;
    }

    /** @return iterable<string, array{string|null}> replies to a request for "a", or null to hang up */
    public static function malformed(): iterable
    {
        yield 'another key' => ["VALUE b 0 1\r\nx\r\nEND\r\n"];
        yield 'another key after it' => ["VALUE a 0 1\r\nx\r\nVALUE b 0 1\r\nx\r\nEND\r\n"];
        yield 'twice' => ["VALUE a 0 1\r\nx\r\nVALUE a 0 1\r\nx\r\nEND\r\n"];
        yield 'a negative length' => ["VALUE a 0 -1\r\nx\r\nEND\r\n"];
        yield 'a huge length' => ["VALUE a 0 999999999\r\nx\r\nEND\r\n"];
        yield 'a length that is no integer' => ["VALUE a 0 99999999999999999999\r\nx\r\nEND\r\n"];
        yield 'a length in letters' => ["VALUE a 0 x\r\nx\r\nEND\r\n"];
        yield 'no length' => ["VALUE a 0 \r\nx\r\nEND\r\n"];
        yield 'a length with a sign' => ["VALUE a 0 +1\r\nx\r\nEND\r\n"];
        yield 'negative flags' => ["VALUE a -1 1\r\nx\r\nEND\r\n"];
        yield 'too long for its length' => ["VALUE a 0 1\r\nxx\r\nEND\r\n"];
        yield 'too short for its length' => ["VALUE a 0 3\r\nx\r\nEND\r\nEND\r\n"];
        yield 'digits first' => ["1 VALUE a 0 1\r\nx\r\nEND\r\n"];
        yield 'two replies' => ["VALUE a 0 1\r\nx\r\nEND\r\nVALUE a 0 1\r\ny\r\nEND\r\n"];
        yield 'two misses' => ["END\r\nEND\r\n"];
        yield 'something after the end' => ["VALUE a 0 1\r\nx\r\nEND\r\nx"];
        yield 'another end' => ["VALUE a 0 1\r\nx\r\nEND \r\n"];
        yield 'an empty line' => ["\r\nEND\r\n"];
        yield 'lines that end otherwise' => ["VALUE a 0 1\nx\nEND\n\r\n"];
        yield 'an error' => ["ERROR\r\n"];
        yield "a client's error" => ["CLIENT_ERROR line too long\r\n"];
        yield "a server's error" => ["SERVER_ERROR out of memory writing get response\r\n"];
        yield 'the error of a login' => ["CLIENT_ERROR unauthenticated\r\n"];
        yield 'HTTP' => ["HTTP/1.1 400 Bad Request\r\n\r\n"];
        yield 'a line without an end' => [str_repeat('VALUE', 100_000)];
        yield 'bytes' => ["\xff\0\1\2" . str_repeat("\xfe", 500) . "\r\n"];
        yield 'the reply to something else' => ["STORED\r\n"];
        yield 'nothing' => [null];
    }

    public function testRepliesToManyRequestsMayComeInPieces(): void
    {
        $this->server = FakeMemcached::start(static fn(string $line): array => match (
            implode(' ', \array_slice(explode(' ', $line), 0, 2))
        ) {
            'set a', 'set c' => ['STO', "RED\r", "\n"],
            'set b' => ["SERVER_ERROR object too large for cache\r\n"],
            'delete a' => ["DELETED\r\nNOT", "_FOUND\r\n"],
            'delete one' => ["STORED\r\n"],
            'delete two' => ["DELETED\r\nDELETED\r\n"],
            default => [],
        });
        $client = $this->server->client();
        self::assertSame(['b'], $client->setMany(['a' => '1', 'b' => '2', 'c' => '3'], 0));
        $client->delete(['a', 'b']);
        foreach (['one', 'two'] as $name) {
            self::assertThrows(StoreFailed::class, static fn() => $client->delete([$name]), $this->server->socket);
        }
        self::assertSame([], $client->setMany(['a' => '1'], 0));
    }

    #[DataProvider('malformed')]
    public function testMalformedReplyFailsAndClosesTheConnection(?string $reply): void
    {
        $this->server = FakeMemcached::start(static fn(string $line): array => match (explode(' ', $line)[1] ?? '') {
            'a' => [$reply],
            default => ["VALUE good 0 4\r\ntrue\r\nEND\r\n"],
        });
        $client = $this->server->client();
        set_error_handler(static fn(int $level, string $message): never => self::fail($message));
        $memory = memory_get_usage();
        memory_reset_peak_usage();
        try {
            foreach ([
                static fn(): mixed => $client->get('a'),
                static fn(): array => $client->getMany(['a', 'c']),
                static fn(): array => $client->gets(['a']),
            ] as $get) {
                $failure = self::assertThrows(StoreFailed::class, $get, $this->server->socket);
                self::assertMatchesRegularExpression('/^[\x20-\x7e]{1,400}$/D', $failure->getMessage());
                self::assertSame('true', $client->get('good'));
            }
        } finally {
            restore_error_handler();
        }
        self::assertLessThan($memory + 4_000_000, memory_get_peak_usage());
    }

    public function testSplitRepliesAreReadWhole(): void
    {
        $values = [
            'a' => "\r\nEND\r\nVALUE b 0 1\r\n\0",
            'b' => '',
            'c' => str_repeat("\r\n", 700),
            'd' => random_bytes(3000),
        ];
        $this->server = FakeMemcached::start(static function (string $line) use ($values): iterable {
            [$command, $names] = [...explode(' ', $line, 2), ''];
            $reply = '';
            foreach (explode(' ', $names) as $name) {
                $reply .= isset($values[$name]) ? \sprintf(
                    "VALUE %s 0 %d%s\r\n%s\r\n",
                    $name,
                    \strlen($values[$name]),
                    $command === 'gets' ? ' 18446744073709551615' : '',
                    $values[$name],
                ) : '';
            }
            foreach (str_split("{$reply}END\r\n", random_int(1, 700)) as $part) {
                usleep(random_int(0, 100));
                yield $part;
            }
        });
        $client = $this->server->client();
        $client->get('none');
        $first = self::stream($client);
        for ($i = 0; $i < 20; ++$i) {
            foreach ($values as $name => $value) {
                self::assertSame($value, $client->get($name));
                self::assertSame([$name => [$value, '18446744073709551615']], $client->gets([$name]));
            }
            self::assertNull($client->get('none'));
            self::assertSame([], $client->gets(['none']));
            self::assertSame($values, $client->getMany(['none', ...array_keys($values), 'other']));
        }
        self::assertSame($first, self::stream($client), 'it has connected once');
    }

    private static function stream(TextConnection $client): int
    {
        $stream = (new \ReflectionProperty(TextConnection::class, 'stream'))->getValue($client);
        $socket = (new \ReflectionProperty(MemcachedStream::class, 'stream'))->getValue(
            \is_object($stream) ? $stream : null,
        );
        self::assertIsResource($socket);

        return get_resource_id($socket);
    }

    public function testLargeValueIsReadWhole(): void
    {
        $value = random_bytes(5 << 20);
        $this->server = FakeMemcached::start(
            static fn(string $line): array => [\sprintf("VALUE a 0 %d\r\n%s\r\nEND\r\n", \strlen($value), $value)],
        );
        $client = $this->server->client();
        self::assertSame($value, $client->get('a'));
        self::assertSame(['a' => $value], $client->getMany(['a']));
    }

    /** @return iterable<string, array{string}> replies that arrive a byte every 50 ms, for half a minute */
    public static function dribbles(): iterable
    {
        yield 'a line' => ['VALUE a 0 1' . str_repeat('0', 600)];
        yield 'a value' => ["VALUE a 0 1000\r\n" . str_repeat('x', 600)];
        yield 'many items' => [str_repeat("VALUE a 0 1\r\nx\r\n", 40)];
    }

    #[DataProvider('dribbles')]
    public function testReplyThatTricklesInTimesOut(string $reply): void
    {
        $this->server = FakeMemcached::start(static function () use ($reply): iterable {
            foreach (str_split($reply) as $byte) {
                usleep(50_000);
                yield $byte;
            }
        });
        $client = $this->server->client(0.3);
        $start = microtime(true);
        $failure = self::assertThrows(StoreFailed::class, static fn() => $client->get('a'));
        self::assertMatchesRegularExpression('/no reply from .* within 0\.3 s|malformed/', $failure->getMessage());
        self::assertLessThan(self::GENEROUS_SECONDS, microtime(true) - $start);
    }

    /** The control of the test above: the timeout of a stream is for each single wait. */
    public function testStreamTimeoutDoesNotEndATricklingReply(): void
    {
        $this->server = FakeMemcached::start(static function (): iterable {
            for ($byte = 0; $byte < 40; ++$byte) {
                usleep(50_000);
                yield 'x';
            }
            yield "\r\n";
        });
        // Tries again if the server, or the whole machine, stood still for that second.
        $tries = 0;
        do {
            $stream = stream_socket_client('unix://' . $this->server->socket);
            self::assertNotFalse($stream);
            stream_set_timeout($stream, 1);
            $start = microtime(true);
            fwrite($stream, "get a\r\n");
            $line = fgets($stream);
            $isOver = stream_get_meta_data($stream)['timed_out'];
            fclose($stream);
        } while ($isOver && ++$tries < 10);
        self::assertSame(str_repeat('x', 40) . "\r\n", $line);
        self::assertGreaterThan(1.9, microtime(true) - $start);
    }

    public function testSilentServerIsWaitedForOnce(): void
    {
        $this->server = FakeMemcached::start(static fn(): array => []);
        foreach ([false, true] as $persistent) {
            $client = $this->server->client(0.2, $persistent);
            $start = microtime(true);
            $failure = self::assertThrows(StoreFailed::class, static fn() => $client->get('a'));
            self::assertSame(
                \sprintf(
                    'memcached: no reply from %s within 0.2 s (is it overloaded, or timeout= too short?)',
                    $this->server->socket,
                ),
                $failure->getMessage(),
            );
            self::assertGreaterThan(0.19, microtime(true) - $start);
            self::assertLessThan(self::GENEROUS_SECONDS, microtime(true) - $start);
        }
    }

    public function testLateReplyAnswersNoOtherRequest(): void
    {
        $this->server = FakeMemcached::start(static function (string $line): iterable {
            if ($line === 'get slow') {
                usleep(500_000);
                yield "VALUE slow 0 4\r\nlate\r\nEND\r\n";
            } else {
                yield "VALUE a 0 5\r\nright\r\nEND\r\n";
            }
        });
        $server = $this->server;
        foreach ([false, true] as $persistent) {
            $client = $server->client(0.1, $persistent);
            $get = static function (string $name) use ($client): mixed {
                try {
                    return $client->get($name);
                } catch (StoreFailed) {
                    return null;
                }
            };
            self::assertContains($get('slow'), [null, 'late'], 'the client may stand still until it has come');
            $answer = null;
            self::assertTrue(Servers::await(static function () use ($get, &$answer): bool {
                return ($answer = $get('a')) !== null;
            }));
            self::assertSame('right', $answer);
        }
    }

    /** @return iterable<string, array{string}> bytes that an aborted request has left on a connection */
    public static function leftBehind(): iterable
    {
        yield 'a miss' => ["END\r\n"];
        yield 'an older value' => ["VALUE a 0 5\r\nolder\r\nEND\r\n"];
        yield 'the rest of a value' => ["x\r\nEND\r\n"];
        yield 'a version' => ["VERSION 1\r\n"];
    }

    #[DataProvider('leftBehind')]
    public function testReplyToAnAbortedRequestIsNotRead(string $rest): void
    {
        $this->server = FakeMemcached::start(static fn(string $line): array => match ($line) {
            'get aborted' => [$rest],
            'version' => ["VERSION 1.6.18\r\n"],
            default => ["VALUE a 0 5\r\nright\r\nEND\r\n"],
        });
        $client = $this->server->client(persistent: true);
        self::assertSame('right', $client->get('a'));
        $shared = stream_socket_client(
            'unix:///.' . $this->server->socket,
            flags: \STREAM_CLIENT_CONNECT | \STREAM_CLIENT_PERSISTENT,
        );
        self::assertNotFalse($shared);
        fwrite($shared, "get aborted\r\n");
        unset($shared);
        $another = $this->server->client(persistent: true);
        $answer = null;
        try {
            $answer = $another->get('a');
        } catch (StoreFailed) {
            self::assertSame(
                "VERSION 1\r\n",
                $rest,
                'only this passes for the reply to our own question, and no further',
            );
        }
        self::assertContains($answer, ['right', null]);
        self::assertSame('right', $another->get('a'));
        self::assertSame('right', $client->get('a'), 'the other object had the same connection, and has a new one');
    }

    public function testPersistentConnectionsAreReused(): void
    {
        $requests = 0;
        $this->server = FakeMemcached::start(static function (string $line) use (&$requests): array {
            return $line === 'version'
                ? ["VERSION 1.6.18\r\n"]
                : [\sprintf("VALUE a 0 1\r\n%d\r\nEND\r\n", ++$requests)];
        });
        $numbers = [];
        for ($i = 0; $i < 3; ++$i) {
            $numbers[] = $this->server->client(persistent: true)->get('a');
        }
        self::assertSame(['1', '2', '3'], $numbers, 'a second connection would not be served');
    }

    public function testSignalHandlerAndExceptionReadOnlyTheirOwnReply(): void
    {
        $signalled = Servers::directory('signalled') . '/' . bin2hex(random_bytes(4));
        $this->server = FakeMemcached::start(static function (string $line) use ($signalled): iterable {
            $name = explode(' ', $line)[1] ?? '';
            if ($name === 'slow') {
                Servers::awaitFile($signalled);
            }
            yield \sprintf("VALUE %s 0 %d\r\n%s\r\nEND\r\n", $name, \strlen($name), $name);
        });
        $client = $this->server->client();
        $asked = null;
        pcntl_async_signals(true);
        foreach ([static function () use ($client, &$asked): void {
            $asked = $client->get('inner');
        }, static fn(): never => throw new \DomainException()] as $handler) {
            pcntl_signal(\SIGUSR1, $handler);
            @unlink($signalled);
            $signaller = Fork::start(static function () use ($signalled): void {
                usleep(100_000);
                posix_kill(posix_getppid(), \SIGUSR1);
                touch($signalled);
            });
            try {
                self::assertSame('slow', $client->get('slow'));
            } catch (\Exception) {
                // Both the handler's exception and that of the interrupted call are right.
            }
            $signaller->result();
            pcntl_signal(\SIGUSR1, \SIG_DFL);
            self::assertSame('b', $client->get('b'));
        }
        self::assertSame('inner', $asked);
    }

    public function testWriteReplyIsOneLine(): void
    {
        $this->server = FakeMemcached::start(static function (string $line): iterable {
            if (preg_match('/^\w+ (\S+) 0 /', $line, $match) === 1) {
                yield match ($match[1]) {
                    'stored' => "STORED\r\n",
                    'other' => "NOT_STORED\r\n",
                    'changed' => "EXISTS\r\n",
                    'large' => "SERVER_ERROR object too large for cache\r\n",
                    'two' => "STORED\r\nSTORED\r\n",
                    'endless' => str_repeat('STORED', 1000),
                    default => "ERROR\r\n",
                };
            }
        });
        $server = $this->server;
        $write = static fn(string $name): bool => $server->client()->set($name, "\r\n", 0);
        foreach (['stored' => true, 'other' => false, 'changed' => false, 'large' => false] as $name => $done) {
            self::assertSame($done, $write($name));
        }
        foreach (['two', 'endless', 'wrong'] as $name) {
            $failure = self::assertThrows(StoreFailed::class, static fn() => $write($name));
            self::assertMatchesRegularExpression('/malformed reply|refused a request: ERROR/', $failure->getMessage());
        }
    }
}

<?php

declare(strict_types=1);

namespace Larder\Tests\Driver\Memcached;

use Larder\Dsn\Endpoint;
use Larder\Internal\Driver\Memcached\TextConnection;
use Larder\Server\ConnectionSettings;
use Larder\Testing\Fork;
use Larder\Tests\Servers;

/** A server on a Unix socket that sends the replies of a test, one connection after the other. */
final class FakeMemcached
{
    private function __construct(public readonly string $socket, private readonly Fork $process) {}

    /**
     * @param \Closure(string): iterable<string|null> $reply called with a line; its parts are sent one after the other,
     *         and null closes the connection
     */
    public static function start(\Closure $reply): self
    {
        $socket = Servers::directory('fake') . '/' . bin2hex(random_bytes(6));
        $listener = stream_socket_server('unix://' . $socket);
        \assert($listener !== false);
        $process = Fork::start(static function () use ($listener, $reply): void {
            for (;;) {
                $client = stream_socket_accept($listener, 60);
                if ($client === false) {
                    return;
                }
                while (($line = fgets($client)) !== false) {
                    // sent on a connection that was idle, on a busy machine
                    foreach (rtrim($line) === 'version' ? ["VERSION 1.6\r\n"] : $reply(rtrim($line)) as $part) {
                        if ($part === null || @fwrite($client, $part) === false) {
                            break 2;
                        }
                    }
                }
                fclose($client);
            }
        });
        fclose($listener);

        return new self($socket, $process);
    }

    public function client(float $timeout = 10.0, bool $persistent = false): TextConnection
    {
        return new TextConnection(
            'memcached',
            new ConnectionSettings(Endpoint::unix($this->socket), $timeout, $timeout, $persistent),
        );
    }

    public function stop(): void
    {
        $this->process->kill();
        @unlink($this->socket);
    }
}

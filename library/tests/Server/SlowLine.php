<?php

declare(strict_types=1);

namespace Larder\Tests\Server;

use Larder\Testing\Fork;

/** A port of this machine that forwards to another one, and forwards the replies a byte at a time. */
final class SlowLine
{
    private function __construct(public readonly int $port, private readonly Fork $process) {}

    /** @param int $microseconds delay of each byte */
    public static function to(int $port, int $microseconds): self
    {
        $listener = stream_socket_server('tcp://127.0.0.1:0');
        \assert($listener !== false);
        $process = Fork::start(static function () use ($listener, $port, $microseconds): void {
            while (($client = stream_socket_accept($listener, 60)) !== false) {
                $server = stream_socket_client('tcp://127.0.0.1:' . $port);
                \assert($server !== false);
                self::handOn($client, $server, $microseconds);
            }
        });
        $name = (string) stream_socket_get_name($listener, false);
        fclose($listener);

        return new self((int) substr($name, (int) strrpos($name, ':') + 1), $process);
    }

    public function stop(): void
    {
        $this->process->kill();
    }

    /**
     * @param resource $client
     * @param resource $server
     */
    private static function handOn(mixed $client, mixed $server, int $microseconds): void
    {
        stream_set_blocking($client, false);
        stream_set_blocking($server, false);
        while (!feof($client) && !feof($server)) {
            @fwrite($server, (string) fread($client, 8192));
            @fwrite($client, (string) fread($server, 1));
            usleep($microseconds);
        }
        fclose($client);
        fclose($server);
    }
}

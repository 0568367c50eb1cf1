<?php

declare(strict_types=1);

namespace Larder\Cli\Study;

/** Forwards TCP connections and delays all bytes by the same time. Used if netem is missing. */
final class Relay
{
    private const CHUNK = 65536;

    /** @var array<int, resource> by number, as are the arrays below */
    private array $streams = [];

    /** @var array<int, int> the stream that receives the bytes of this one */
    private array $other = [];

    /** @var array<int, list<array{int, string}>> bytes to be written to a stream, and when */
    private array $queues = [];

    /**
     * @param array<int, resource> $listeners by the port of this machine that they forward to
     * @param int $delay nanoseconds
     */
    private function __construct(private readonly array $listeners, private readonly int $delay) {}

    /**
     * Listens until the process is killed.
     *
     * @param list<int> $ports ports on this address; connections are forwarded to the same port of 127.0.0.1
     */
    public static function run(string $address, int $delay, array $ports): never
    {
        $context = stream_context_create(['socket' => ['tcp_nodelay' => true]]);
        $listeners = [];
        foreach ($ports as $port) {
            $listener = stream_socket_server(
                \sprintf('tcp://%s:%d', $address, $port),
                $code,
                $message,
                context: $context,
            );
            $listeners[$port] = $listener !== false ? $listener : throw new \RuntimeException((string) $message);
        }
        $relay = new self($listeners, $delay);
        while (true) {
            $relay->step();
        }
    }

    private function step(): void
    {
        $readable = [...array_values($this->listeners), ...array_values($this->streams)];
        $writable = $none = null;
        $wait = $this->untilNext();
        if (@stream_select(
            $readable,
            $writable,
            $none,
            $wait === null ? null : intdiv($wait, 1_000_000_000),
            $wait === null ? null : intdiv($wait % 1_000_000_000, 1000),
        ) === false) {
            return;
        }
        foreach ($readable as $stream) {
            $port = array_search($stream, $this->listeners, true);
            if ($port !== false) {
                $this->accept($stream, $port);
            } else {
                $this->read($stream);
            }
        }
        $this->write();
    }

    /** @return int|null nanoseconds */
    private function untilNext(): ?int
    {
        $next = null;
        foreach ($this->queues as $queue) {
            $next = $queue === [] ? $next : min($next ?? \PHP_INT_MAX, $queue[0][0]);
        }

        return $next === null ? null : max(0, $next - (int) \hrtime(true));
    }

    /** @param resource $listener */
    private function accept($listener, int $port): void
    {
        $client = @stream_socket_accept($listener, 0);
        $server = @stream_socket_client(
            'tcp://127.0.0.1:' . $port,
            timeout: 1.0,
            context: stream_context_create(['socket' => ['tcp_nodelay' => true]]),
        );
        if ($client === false || $server === false) {
            return; // both are closed: the client sees a server that is down
        }
        foreach ([[$client, $server], [$server, $client]] as [$stream, $other]) {
            stream_set_blocking($stream, false);
            stream_set_read_buffer($stream, 0);
            $this->streams[(int) $stream] = $stream;
            $this->other[(int) $stream] = (int) $other;
            $this->queues[(int) $stream] = [];
        }
    }

    /** @param resource $stream */
    private function read($stream): void
    {
        $data = fread($stream, self::CHUNK);
        if ($data === '' || $data === false) {
            if (feof($stream)) {
                $this->close((int) $stream);
            }

            return;
        }
        $this->queues[$this->other[(int) $stream]][] = [\hrtime(true) + $this->delay, $data];
    }

    private function write(): void
    {
        $now = \hrtime(true);
        foreach ($this->queues as $number => $queue) {
            while ($queue !== [] && $queue[0][0] <= $now) {
                $written = (int) @fwrite($this->streams[$number], $queue[0][1]);
                if ($written < \strlen($queue[0][1])) {
                    // its buffer is full: try again later
                    $queue[0] = [$now + $this->delay, substr($queue[0][1], $written)];
                    break;
                }
                array_shift($queue);
            }
            $this->queues[$number] = $queue;
        }
    }

    private function close(int $number): void
    {
        foreach ([$number, $this->other[$number] ?? $number] as $each) {
            unset($this->streams[$each], $this->other[$each], $this->queues[$each]);
        }
    }
}

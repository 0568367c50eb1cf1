<?php

declare(strict_types=1);

namespace Larder\Cli\Workload;

/** Statistics of a redis or memcached server, read through a separate connection. */
final class ServerStatistics
{
    /** Bytes of a request for statistics and its answer, which redis and memcached count too. */
    private int $own = 0;

    /** @param resource $stream */
    private function __construct(private $stream, private readonly bool $isRedis) {}

    /**
     * @param string $store "redis" or "memcached"
     * @throws \RuntimeException when it cannot be reached
     */
    public static function of(string $store, string $socket): self
    {
        $stream = @stream_socket_client('unix://' . $socket, $code, $reason, 5.0);
        if ($stream === false) {
            throw new \RuntimeException(\sprintf('%s at %s gives no statistics: %s', $store, $socket, $reason));
        }
        stream_set_timeout($stream, 5);
        $statistics = new self($stream, $store === 'redis');
        $statistics->own = -$statistics->wire() + $statistics->wire();

        return $statistics;
    }

    public function pid(): int
    {
        return (int) ($this->ask('stats')[$this->isRedis ? 'process_id' : 'pid'] ?? 0);
    }

    /** Bytes of memory that entries take; for memcached, the chunks in use. */
    public function memory(): int
    {
        if ($this->isRedis) {
            return (int) ($this->ask('stats')['used_memory'] ?? 0);
        }
        $bytes = 0;
        $slabs = $this->ask('stats slabs');
        foreach ($slabs as $name => $value) {
            if (str_ends_with($name, ':used_chunks')) {
                $bytes += (int) $value * (int) ($slabs[strtr($name, ['used_chunks' => 'chunk_size'])] ?? 0);
            }
        }

        return $bytes;
    }

    /** Bytes that all clients have sent and received so far. */
    public function wire(): int
    {
        $statistics = $this->ask('stats');

        return $this->isRedis
            ? (int) ($statistics['total_net_input_bytes'] ?? 0) + (int) ($statistics['total_net_output_bytes'] ?? 0)
            : (int) ($statistics['bytes_read'] ?? 0) + (int) ($statistics['bytes_written'] ?? 0);
    }

    /** Bytes that one call of wire() adds to the result of the next. */
    public function ownWire(): int
    {
        return $this->own;
    }

    /** Processor time of all threads of the server, in nanoseconds. */
    public static function processorTime(int $pid): int
    {
        $nanoseconds = 0;
        foreach ((array) glob(\sprintf('/proc/%d/task/*/schedstat', $pid)) as $file) {
            $nanoseconds += (int) @file_get_contents((string) $file);
        }

        return $nanoseconds;
    }

    /** @return array<string, string> */
    private function ask(string $command): array
    {
        fwrite($this->stream, ($this->isRedis ? 'INFO' : $command) . "\r\n");
        $values = [];
        $remaining = $this->isRedis ? (int) substr((string) fgets($this->stream), 1) + 2 : \PHP_INT_MAX;
        while ($remaining > 0 && ($line = fgets($this->stream)) !== false && rtrim($line) !== 'END') {
            $remaining -= \strlen($line);
            if (preg_match($this->isRedis ? '/^(\w+):(.*)$/' : '/^STAT (\S+) (.*)$/', rtrim($line), $match) === 1) {
                $values[$match[1]] = $match[2];
            }
        }

        return $values;
    }
}

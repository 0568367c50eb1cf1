<?php

declare(strict_types=1);

namespace Larder\Tests\Driver\Memcached;

/** A memcached server as any client can reach it: bytes on a socket. */
final class RawMemcached
{
    /** @var resource */
    private mixed $stream;

    public function __construct(string $socket)
    {
        $stream = stream_socket_client('unix://' . $socket);
        \assert($stream !== false);
        stream_set_timeout($stream, 10);
        $this->stream = $stream;
    }

    public function plant(string $name, int $flags, string $bytes): void
    {
        fwrite($this->stream, \sprintf("set %s %d 0 %d\r\n%s\r\n", $name, $flags, \strlen($bytes), $bytes));
        \assert(fgets($this->stream) === "STORED\r\n");
    }

    public function get(string $name): string
    {
        fwrite($this->stream, "get $name\r\n");
        \assert(preg_match('/^VALUE \S+ \d+ (\d+)\r\n$/D', (string) fgets($this->stream), $match) === 1);
        $bytes = substr((string) stream_get_contents($this->stream, (int) $match[1] + 2), 0, -2);
        \assert(fgets($this->stream) === "END\r\n");

        return $bytes;
    }

    /** @return list<string> names with this prefix */
    public function names(string $prefix): array
    {
        do {
            fwrite($this->stream, "lru_crawler metadump all\r\n");
            $line = (string) fgets($this->stream);
        } while (str_starts_with($line, 'BUSY'));
        $names = [];
        for (; $line !== "END\r\n"; $line = (string) fgets($this->stream)) {
            \assert($line !== '');
            if (preg_match('/^key=(\S+) /', $line, $match) === 1 && str_starts_with(rawurldecode($match[1]), $prefix)) {
                $names[] = rawurldecode($match[1]);
            }
        }

        return $names;
    }
}

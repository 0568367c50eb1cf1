<?php

declare(strict_types=1);

namespace Larder\Dsn;

/** The address of a server: a unix socket, or a host and a port. */
final class Endpoint
{
    private function __construct(
        public readonly ?string $socket,
        public readonly string $host,
        public readonly int $port,
    ) {}

    public static function unix(string $socket): self
    {
        return new self($socket, '', 0);
    }

    public static function tcp(string $host, int $port): self
    {
        return new self(null, $host, $port);
    }

    /**
     * @return self|null null if a name that another server has sent is neither a host name nor an address: a path, a
     *         URL, bytes
     */
    public static function named(string $host, int $port): ?self
    {
        return preg_match('~^[A-Za-z0-9._:-]{1,255}$~D', $host) === 1 && $port > 0 && $port <= 65_535
            ? self::tcp($host, $port)
            : null;
    }

    /** @param string $address "127.0.0.1:6379", "[::1]:6379" */
    public static function parse(string $address): self
    {
        $colon = (int) strrpos($address, ':');

        return new self(null, trim(substr($address, 0, $colon), '[]'), (int) substr($address, $colon + 1));
    }

    /** For messages: "/run/redis.sock", "127.0.0.1:6379", "[::1]:6379". */
    public function __toString(): string
    {
        return $this->socket
            ?? \sprintf(str_contains($this->host, ':') ? '[%s]:%d' : '%s:%d', $this->host, $this->port);
    }
}

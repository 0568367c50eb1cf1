<?php

declare(strict_types=1);

namespace Larder\Driver\Memcached;

use Larder\Dsn\Endpoint;
use Larder\Exception\StoreFailed;

/** Opens the streams on which MemcachedConnection speaks. Raises warnings: its caller silences them. */
final class MemcachedConnector
{
    /** @param string $store the scheme, for messages */
    public function __construct(
        public readonly string $store,
        public readonly Endpoint $endpoint,
        public readonly float $timeout,
        public readonly bool $persistent,
    ) {}

    /**
     * @return resource a blocking stream without a buffer, on which each wait ends after the timeout. A persistent one may
     *         have served an earlier request, which may have ended in the middle of a reply
     * @throws StoreFailed
     */
    public function connect(): mixed
    {
        $stream = stream_socket_client(
            $this->address(),
            $code,
            $message,
            $this->timeout,
            $this->persistent ? \STREAM_CLIENT_CONNECT | \STREAM_CLIENT_PERSISTENT : \STREAM_CLIENT_CONNECT,
            stream_context_create(['socket' => ['tcp_nodelay' => true]]),
        );
        if ($stream === false) {
            // PHP names its own functions in front of the reason.
            $reason = preg_replace('/^.*: (?=[^:]+$)/s', '', \is_string($message) ? $message : '');
            throw StoreFailed::because($this->store, \sprintf('cannot connect to %s: %s', $this->endpoint, $reason === '' ? 'unknown reason' : $reason));
        }
        stream_set_read_buffer($stream, 0);
        self::wait($stream, (int) (1e9 * $this->timeout));

        return $stream;
    }

    /**
     * @param resource $stream
     * @param int $nanoseconds after which each wait on it ends
     */
    public static function wait(mixed $stream, int $nanoseconds): void
    {
        stream_set_timeout($stream, intdiv($nanoseconds, 1_000_000_000), max(1, intdiv($nanoseconds % 1_000_000_000, 1000)));
    }

    /** PHP knows persistent streams by their address: written like this it is ours alone, not the application's. */
    private function address(): string
    {
        return $this->endpoint->socket === null
            ? \sprintf('tcp://%s%s', $this->endpoint, $this->persistent ? '/larder' : '')
            : \sprintf('unix://%s%s', $this->persistent ? '/.' : '', $this->endpoint->socket);
    }
}

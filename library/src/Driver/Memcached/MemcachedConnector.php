<?php

declare(strict_types=1);

namespace Larder\Driver\Memcached;

use Larder\Exception\StoreFailed;
use Larder\Server\ConnectionSettings;

/** Opens the streams on which MemcachedConnection speaks. Raises warnings: its caller silences them. */
final class MemcachedConnector
{
    /**
     * @param string $store the scheme, for messages
     * @param bool $persistent those of the settings do not count: in a fork none may be
     */
    public function __construct(
        public readonly string $store,
        public readonly ConnectionSettings $settings,
        public readonly bool $persistent = false,
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
            $this->settings->connectTimeout,
            $this->persistent ? \STREAM_CLIENT_CONNECT | \STREAM_CLIENT_PERSISTENT : \STREAM_CLIENT_CONNECT,
            stream_context_create($this->settings->streamContext()),
        );
        if ($stream === false) {
            // PHP names its own functions in front of the reason.
            $reason = preg_replace('/^.*: (?=[^:]+$)/s', '', \is_string($message) ? $message : '');
            throw StoreFailed::because($this->store, \sprintf('cannot connect to %s: %s', $this->settings->endpoint, $reason === '' ? 'unknown reason' : $reason));
        }
        stream_set_read_buffer($stream, 0);
        self::wait($stream, (int) (1e9 * $this->settings->readTimeout));

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
        $socket = $this->settings->endpoint->socket;

        return $socket === null
            ? $this->settings->streamAddress($this->persistent ? '/larder' : '')
            : \sprintf('unix://%s%s', $this->persistent ? '/.' : '', $socket);
    }
}

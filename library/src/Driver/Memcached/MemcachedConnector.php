<?php

declare(strict_types=1);

namespace Larder\Driver\Memcached;

use Larder\Exception\StoreFailed;
use Larder\Exception\StoreUnavailable;
use Larder\Process\Quietly;
use Larder\Server\ConnectionSettings;
use Larder\Server\TlsTrouble;

/** Opens the streams on which MemcachedConnection speaks: connected, by TLS if that is asked for, and logged in. */
final class MemcachedConnector
{
    /** Bytes of a reply to a login. */
    private const LONGEST_REPLY = 400;
    private const REFUSED = 'the server refuses the user name or the password';

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
     * @throws StoreFailed with the StoreUnavailable that says what to do
     */
    public function connect(): mixed
    {
        $warnings = [];

        try {
            $login = $this->settings->credentials->current($this->store, $this->settings->endpoint);
            $stream = Quietly::collect(function () use ($login, &$warnings): mixed {
                return $this->opened($login, $warnings);
            }, $warnings);
        } catch (StoreUnavailable $none) {
            $what = \sprintf('%s. %s', $none->what, $none->how);

            throw str_contains($what, self::REFUSED) ? StoreFailed::refused($this->store, $what, $none) : StoreFailed::because($this->store, $what, $none);
        }
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

    /**
     * @param array{string, string} $login
     * @param list<string> $warnings that have come
     * @return resource
     * @throws StoreUnavailable
     */
    private function opened(#[\SensitiveParameter] array $login, array &$warnings): mixed
    {
        $stream = stream_socket_client(
            $this->address($login),
            $code,
            $message,
            $this->settings->connectTimeout,
            $this->persistent ? \STREAM_CLIENT_CONNECT | \STREAM_CLIENT_PERSISTENT : \STREAM_CLIENT_CONNECT,
            stream_context_create($this->settings->streamContext()),
        );
        if ($stream === false) {
            // PHP names its own functions in front of the reason.
            $reason = (string) preg_replace('/^.*: (?=[^:]+$)/s', '', \is_string($message) ? $message : '');

            throw $this->unavailable($warnings, $reason === '' ? 'unknown reason' : $reason);
        }
        stream_set_read_buffer($stream, 0);
        // A persistent stream on which something has been read is logged in.
        if (($login !== ['', ''] || $this->settings->tls !== null) && ftell($stream) === 0) {
            try {
                $this->logIn($stream, $login, $warnings);
            } catch (StoreUnavailable $none) {
                fclose($stream);

                throw $none;
            }
        }

        return $stream;
    }

    /**
     * By TLS also without a login: only now the server tells what it thinks of the client's certificate.
     *
     * @param resource $stream
     * @param array{string, string} $login
     * @param list<string> $warnings that have come
     */
    private function logIn(mixed $stream, #[\SensitiveParameter] array $login, array &$warnings): void
    {
        [$asks, $hasLogin] = [$this->reply($stream, "version\r\n"), $login !== ['', '']];
        if ($asks === '') {
            throw $this->unavailable($warnings, \sprintf('no reply within %s s', $this->settings->readTimeout));
        }
        // A server that asks for no login would store it as an item, for all to read.
        if (str_starts_with($asks, 'VERSION ')) {
            if ($hasLogin) {
                throw StoreUnavailable::because($this->store, \sprintf('%s asks for no user and no password', $this->settings->endpoint), 'Take them out of the DSN, or start memcached with -Y');
            }

            return;
        }
        if (!$hasLogin) {
            throw StoreUnavailable::because($this->store, \sprintf('%s asks for a user and a password', $this->settings->endpoint), 'Put them into the DSN: memcached://user:password@host');
        }
        [$user, $password] = $login;
        if ($this->reply($stream, \sprintf("set login 0 0 %d\r\n%s %s\r\n", \strlen($user . ' ' . $password), $user, $password)) !== "STORED\r\n") {
            throw StoreUnavailable::because($this->store, \sprintf('cannot connect to %s: %s', $this->settings->endpoint, self::REFUSED), 'Are they in the file of memcached -Y, and without spaces?');
        }
    }

    /**
     * @param resource $stream
     * @return string a line; empty when none comes in time
     */
    private function reply(mixed $stream, #[\SensitiveParameter] string $request): string
    {
        $deadline = (int) hrtime(true) + (int) (1e9 * $this->settings->readTimeout);
        fwrite($stream, $request);
        $reply = '';
        while (!str_ends_with($reply, "\n") && \strlen($reply) < self::LONGEST_REPLY) {
            $left = $deadline - (int) hrtime(true);
            if ($left <= 0) {
                return '';
            }
            self::wait($stream, $left);
            $part = (string) fread($stream, self::LONGEST_REPLY);
            if ($part === '') {
                return '';
            }
            $reply .= $part;
        }

        return $reply;
    }

    /** @param list<string> $warnings */
    private function unavailable(array $warnings, string $reason): StoreUnavailable
    {
        $tls = TlsTrouble::of($this->settings, [...$warnings, $reason]);

        return StoreUnavailable::because(
            $this->store,
            \sprintf('cannot connect to %s: %s', $this->settings->endpoint, $tls->what ?? $reason),
            $tls->how ?? (str_ends_with($reason, 'Permission denied')
                ? 'Let this user use the socket, by its group or memcached -a'
                : 'Is memcached running there? To install it: apt-get install memcached'),
        );
    }

    /**
     * PHP knows persistent streams by their address: written like this it is ours alone, not the application's.
     *
     * @param array{string, string} $login
     */
    private function address(#[\SensitiveParameter] array $login): string
    {
        $socket = $this->settings->endpoint->socket;
        if ($socket !== null) {
            return \sprintf('unix://%s%s', $this->persistent ? '/.' : '', $socket);
        }

        return $this->settings->streamAddress($this->persistent ? '/larder-' . hash('xxh128', serialize([$login, $this->settings->tls?->identity()])) : '');
    }
}

<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\Memcached;

use Larder\Exception\StoreFailed;
use Larder\Exception\StoreUnavailable;
use Larder\Internal\Process\Warnings;
use Larder\Process\Pid;
use Larder\Server\ConnectionSettings;

/**
 * A connection for requests and their replies, one at a time. It connects at the first request.
 *
 * A reply must be complete within the timeout, even if the server sends it in small parts. After any failure the
 * connection is closed, so that a late reply cannot answer the next request. PHP's warnings do not reach the
 * application's error handler.
 */
final class MemcachedStream
{
    /** Bytes: most replies come in one read. */
    private const FIRST_READ = 131_072;
    private const LONGEST_READ = 1 << 20;
    /** Nanoseconds. Servers that close idle connections wait a second at least. */
    public const IDLE = 500_000_000;
    /** Bytes of a request to send between two checks of the deadline. */
    private const SLICE = 65_536;

    /** @var resource|null */
    private mixed $stream = null;
    /** True while a reply has not been read to its end. */
    private bool $isWaiting = false;
    private bool $hasOtherTimeout = false;

    /** By hrtime(). */
    private int $deadline = 0;
    /** Time of the last request, by hrtime(). */
    private int $used = 0;
    private readonly int $nanoseconds;
    private readonly \Closure $quiet;
    /**
     * The process that connected first. PHP identifies persistent streams by their address, and a fork inherits them.
     */
    private static ?int $first = null;
    private int $process = 0;

    /** @param string $store the scheme, for messages */
    public function __construct(private readonly string $store, public readonly ConnectionSettings $settings)
    {
        $this->nanoseconds = (int) (1e9 * $settings->readTimeout);
        $this->quiet = Warnings::ignore(...);
    }

    /**
     * Sends a request. Call more() for the rest of the reply, and done() at its end; without done(), the next request
     * finds the connection out of step and closes it.
     *
     * @return non-empty-string the beginning of the reply
     * @throws StoreFailed
     */
    public function ask(string $request): string
    {
        $process = Pid::own();
        if ($this->process !== $process) {
            $this->stream = null; // the parent process goes on with its stream
            $this->process = $process;
        } elseif ($this->isWaiting) {
            $this->abandon(); // a signal handler asks while another call waits: that call then fails
        }
        $this->isWaiting = true;
        $this->hasOtherTimeout = false;
        set_error_handler($this->quiet);
        try {
            // Another object of this process may have closed a persistent stream.
            $isOpen = \is_resource($this->stream);
            $isDoubtful = $isOpen ? (int) hrtime(true) - $this->used >= self::IDLE : $this->open();
            $reply = $isDoubtful ? $this->askDoubtful($request) : $this->send($request);
        } catch (\TypeError) {
            $reply = ''; // a signal handler has closed the stream
        } finally {
            restore_error_handler();
        }

        return $reply === '' ? throw $this->noReply() : $reply;
    }

    /**
     * @param int $bytes number of missing bytes, as far as it is known
     * @return non-empty-string the next part of the reply
     * @throws StoreFailed
     */
    public function more(int $bytes = 0): string
    {
        set_error_handler($this->quiet);
        try {
            $reply = $this->waitUntilDeadline()
                ? fread($this->stream, max(self::FIRST_READ, min($bytes, self::LONGEST_READ)))
                : '';
        } catch (\TypeError) {
            $reply = '';
        } finally {
            restore_error_handler();
        }

        return $reply === false || $reply === '' ? throw $this->noReply() : $reply;
    }

    /** Call this when the reply has been read to its end. */
    public function done(): void
    {
        $this->isWaiting = false;
        if ($this->hasOtherTimeout && \is_resource($this->stream)) {
            self::wait($this->stream, $this->nanoseconds);
            $this->hasOtherTimeout = false;
        }
    }

    /** @param string $reply a reply that does not belong to the request */
    public function malformed(string $reply): StoreFailed
    {
        return $this->failure(
            'malformed reply from %s: "%s" (does another kind of server listen there?)',
            addcslashes(substr($reply, 0, 40), "\0..\37\"\\\177..\377"),
        );
    }

    /** @param string $line the server's error, such as "SERVER_ERROR out of memory" */
    public function refused(string $line): StoreFailed
    {
        return $this->failure('%s refused a request: %s', addcslashes(substr($line, 0, 200), "\0..\37\177..\377"));
    }

    /**
     * @param resource $stream
     * @param int $nanoseconds limit of each wait on the stream
     */
    private static function wait(mixed $stream, int $nanoseconds): void
    {
        stream_set_timeout(
            $stream,
            intdiv($nanoseconds, 1_000_000_000),
            max(1, intdiv($nanoseconds % 1_000_000_000, 1000)),
        );
    }

    private function noReply(): StoreFailed
    {
        $isOver = (int) hrtime(true) >= $this->deadline || $this->hasTimedOut();

        return $this->failure(
            $isOver
                ? 'no reply from %s within %s s (is it overloaded, or timeout= too short?)'
                : '%s closed the connection',
            (string) $this->settings->readTimeout,
        );
    }

    private function hasTimedOut(): bool
    {
        return \is_resource($this->stream) && stream_get_meta_data($this->stream)['timed_out'];
    }

    private function failure(string $what, string $detail): StoreFailed
    {
        $this->abandon();

        return StoreFailed::because($this->store, \sprintf($what, $this->settings->endpoint, $detail));
    }

    /** Closes the connection, even a persistent one, since the rest of a reply may still arrive. */
    private function abandon(): void
    {
        if (\is_resource($this->stream)) {
            fclose($this->stream);
        }
        $this->stream = null;
        $this->isWaiting = false;
    }

    /**
     * Sends a request on a connection that the server may have closed, or on which an earlier PHP request may have left
     * a reply. A request for the server's version shows that. It is sent together with a request that may be repeated,
     * and before any other.
     */
    private function askDoubtful(string $request): string
    {
        $isRead = str_starts_with($request, 'get');
        $reply = $this->send($isRead ? "version\r\n$request" : "version\r\n");
        if (
            preg_match('/^VERSION [^\r\n]{1,100}\r\n/', $reply, $version) === 1 && ($isRead || $reply === $version[0])
        ) {
            $rest = substr($reply, \strlen($version[0]));

            return $isRead
                ? ($rest === '' && $this->waitUntilDeadline() ? (string) fread($this->stream, self::FIRST_READ) : $rest)
                : $this->send($request);
        }
        if ($this->hasTimedOut()) {
            return '';
        }
        if (\is_resource($this->stream)) {
            fclose($this->stream);
        }
        $this->open();

        return $this->send($request);
    }

    private function send(string $request): string
    {
        $this->used = (int) hrtime(true);
        $this->deadline = $this->used + $this->nanoseconds;
        $length = \strlen($request);
        $stream = $this->stream;
        if ($stream === null) {
            return '';
        }
        if ($length <= self::SLICE) {
            return fwrite($stream, $request) === $length ? (string) fread($stream, self::FIRST_READ) : '';
        }
        for ($sent = 0; $sent < $length; $sent += $written) {
            $written = $this->waitUntilDeadline() ? (int) fwrite($stream, substr($request, $sent, self::SLICE)) : 0;
            if ($written === 0) {
                return '';
            }
        }

        return (string) fread($stream, self::FIRST_READ);
    }

    /** @phpstan-assert-if-true resource $this->stream */
    private function waitUntilDeadline(): bool
    {
        $left = $this->deadline - (int) hrtime(true);
        if ($left <= 0 || !\is_resource($this->stream)) {
            return false;
        }
        $this->hasOtherTimeout = true;
        self::wait($this->stream, $left);

        return true;
    }

    /**
     * Opens a blocking stream without a buffer, on which each wait ends after the timeout. With TLS if the settings ask
     * for it, and logged in.
     *
     * @return bool true if it may have served an earlier PHP request, which may have ended in the middle of a reply
     * @throws StoreFailed contains the StoreUnavailable with the remedy
     */
    private function open(): bool
    {
        $settings = $this->settings;
        // No connection of a fork is persistent: it would be the parent's.
        self::$first ??= $this->process;
        $isPersistent = $settings->persistent && self::$first === $this->process;
        $warnings = [];

        try {
            $login = $settings->login($this->store);
            $this->stream = Warnings::collect(function () use ($settings, $login, $isPersistent, &$warnings): mixed {
                $stream = stream_socket_client(
                    $this->address($login, $isPersistent),
                    $code,
                    $message,
                    $settings->connectTimeout,
                    $isPersistent ? \STREAM_CLIENT_CONNECT | \STREAM_CLIENT_PERSISTENT : \STREAM_CLIENT_CONNECT,
                    stream_context_create($settings->streamContext()),
                );
                if ($stream === false) {
                    // PHP puts names of its functions before the reason.
                    $reason = (string) preg_replace('/^.*: (?=[^:]+$)/s', '', \is_string($message) ? $message : '');

                    throw (new MemcachedLogin($this->store, $settings))
                        ->unavailable($warnings, $reason === '' ? 'unknown reason' : $reason);
                }
                stream_set_read_buffer($stream, 0);
                // A persistent stream that has been read from is logged in.
                if (($login !== ['', ''] || $settings->tls !== null) && ftell($stream) === 0) {
                    (new MemcachedLogin($this->store, $settings))->logIn($stream, $login, $warnings);
                }

                return $stream;
            }, $warnings);
        } catch (StoreUnavailable $none) {
            $this->abandon();
            $what = \sprintf('%s. %s', $none->what, $none->how);

            throw str_contains($what, MemcachedLogin::REFUSED)
                ? StoreFailed::refused($this->store, $what, $none)
                : StoreFailed::because($this->store, $what, $none);
        }
        self::wait($this->stream, $this->nanoseconds);

        return $isPersistent;
    }

    /**
     * PHP identifies persistent streams by their address. The application does not use this spelling, so the stream is
     * ours alone.
     *
     * @param array{string, string} $login
     */
    private function address(#[\SensitiveParameter] array $login, bool $isPersistent): string
    {
        $socket = $this->settings->endpoint->socket;
        if ($socket !== null) {
            return \sprintf('unix://%s%s', $isPersistent ? '/.' : '', $socket);
        }

        return $this->settings->streamAddress(
            $isPersistent ? '/larder-' . hash('xxh128', serialize([$login, $this->settings->tls?->identity()])) : '',
        );
    }
}

<?php

declare(strict_types=1);

namespace Larder\Driver\Memcached;

use Larder\Exception\StoreFailed;
use Larder\Process\Quietly;

/**
 * A connection for requests and their replies, one at a time. It connects with the first request.
 *
 * A reply is over within the timeout, however the server deals it out. After any failure the connection is closed, so
 * that a late reply cannot answer the next request. PHP's warnings are kept from the application's error handler.
 */
final class MemcachedConnection
{
    /** Bytes: most replies come in one read. */
    private const FIRST_READ = 131_072;
    private const LONGEST_READ = 1 << 20;
    /** Bytes of a request that are sent before the clock is looked at again. */
    private const SLICE = 65_536;

    /**
     * Whether a reply has not been read to its end.
     *
     * @phpstan-readonly-allow-private-mutation
     */
    public bool $isWaiting = false;

    /**
     * How often it has connected.
     *
     * @phpstan-readonly-allow-private-mutation
     */
    public int $connects = 0;

    /** @var resource|null */
    private mixed $stream = null;
    private bool $hasOtherTimeout = false;

    /** By hrtime(). */
    private int $deadline = 0;
    private readonly int $nanoseconds;
    private readonly \Closure $quiet;

    public function __construct(private readonly MemcachedConnector $connector)
    {
        $this->nanoseconds = (int) (1e9 * $connector->settings->readTimeout);
        $this->quiet = Quietly::ignore(...);
    }

    /**
     * Sends a request. more() reads on, done() has to follow at the end of the reply, and abandon() if it never comes.
     *
     * @return non-empty-string the beginning of the reply
     * @throws StoreFailed
     */
    public function ask(string $request): string
    {
        if ($this->isWaiting) {
            $this->abandon(); // the handler of a signal asks while another call waits: that one fails then
        }
        $this->isWaiting = true;
        set_error_handler($this->quiet);
        try {
            // Another object of this process may have closed a persistent one.
            $stream = \is_resource($this->stream) ? $this->stream : $this->open();
            $this->deadline = (int) hrtime(true) + $this->nanoseconds;
            $isSent = \strlen($request) <= self::SLICE ? fwrite($stream, $request) === \strlen($request) : $this->send($stream, $request);
            $reply = $isSent ? fread($stream, self::FIRST_READ) : '';
        } catch (\TypeError) {
            $reply = ''; // such a handler has closed the stream
        } finally {
            restore_error_handler();
        }

        return $reply === false || $reply === '' ? throw $this->noReply() : $reply;
    }

    /**
     * @param int $bytes that are missing, as far as is known
     * @return non-empty-string what comes next
     * @throws StoreFailed
     */
    public function more(int $bytes = 0): string
    {
        $left = $this->deadline - (int) hrtime(true);
        $reply = '';
        if ($left > 0 && \is_resource($this->stream)) {
            set_error_handler($this->quiet);
            try {
                $this->hasOtherTimeout = true;
                MemcachedConnector::wait($this->stream, $left);
                $reply = fread($this->stream, max(self::FIRST_READ, min($bytes, self::LONGEST_READ)));
            } finally {
                restore_error_handler();
            }
        }

        return $reply === false || $reply === '' ? throw $this->noReply() : $reply;
    }

    public function isTls(): bool
    {
        return $this->connector->settings->tls !== null;
    }

    /** The reply was read to its end. */
    public function done(): void
    {
        $this->isWaiting = false;
        if ($this->hasOtherTimeout && \is_resource($this->stream)) {
            MemcachedConnector::wait($this->stream, $this->nanoseconds);
            $this->hasOtherTimeout = false;
        }
    }

    /** Closes the connection, even a persistent one, since the rest of a reply may still come. */
    public function abandon(): void
    {
        if (\is_resource($this->stream)) {
            fclose($this->stream);
        }
        $this->stream = null;
        $this->isWaiting = false;
        $this->hasOtherTimeout = false;
    }

    /** @param string $reply none that belongs to the request */
    public function malformed(string $reply): StoreFailed
    {
        return StoreFailed::because($this->connector->store, \sprintf(
            'malformed reply from %s: "%s" (does another kind of server listen there?)',
            $this->connector->settings->endpoint,
            addcslashes(substr($reply, 0, 40), "\0..\37\"\\\177..\377"),
        ));
    }

    /** @param string $line its error, as in "SERVER_ERROR out of memory" */
    public function refused(string $line): StoreFailed
    {
        return StoreFailed::because($this->connector->store, \sprintf(
            '%s refused a request: %s',
            $this->connector->settings->endpoint,
            addcslashes(substr($line, 0, 200), "\0..\37\177..\377"),
        ));
    }

    private function noReply(): StoreFailed
    {
        $isOver = (int) hrtime(true) >= $this->deadline
            || (\is_resource($this->stream) && stream_get_meta_data($this->stream)['timed_out']);

        return StoreFailed::because($this->connector->store, \sprintf(
            $isOver ? 'no reply from %s within %s s (is it overloaded, or timeout= too short?)' : '%s closed the connection',
            $this->connector->settings->endpoint,
            $this->connector->settings->readTimeout,
        ));
    }

    /** @return resource */
    private function open(): mixed
    {
        $this->stream = $this->connector->connect();
        ++$this->connects;
        if (!$this->connector->persistent || self::isInStep($this->stream)) {
            return $this->stream;
        }
        if (stream_get_meta_data($this->stream)['timed_out']) {
            throw $this->noReply();
        }
        fclose($this->stream);

        return $this->stream = $this->connector->connect();
    }

    /**
     * Whether the reply to a request is its own, not the rest of one that an earlier request of PHP has left behind.
     *
     * @param resource $stream
     */
    private static function isInStep(mixed $stream): bool
    {
        return fwrite($stream, "version\r\n") === 9 && preg_match('/^VERSION [^\r\n]{1,100}\r\n$/D', (string) fread($stream, self::FIRST_READ)) === 1;
    }

    /** @param resource $stream */
    private function send(mixed $stream, string $request): bool
    {
        for ($sent = 0; $sent < \strlen($request);) {
            $left = $this->deadline - (int) hrtime(true);
            if ($left <= 0) {
                return false;
            }
            $this->hasOtherTimeout = true;
            MemcachedConnector::wait($stream, $left);
            $written = fwrite($stream, substr($request, $sent, self::SLICE));
            if ($written === false || $written === 0) {
                return false;
            }
            $sent += $written;
        }

        return true;
    }
}

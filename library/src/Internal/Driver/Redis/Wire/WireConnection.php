<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\Redis\Wire;

use Larder\Exception\StoreUnavailable;
use Larder\Internal\Process\Warnings;
use Larder\Internal\Server\TlsErrorHint;
use Larder\Server\ConnectionSettings;

/**
 * A connection to a Redis or Valkey server, or to a sentinel, without a client library. It serves requests that PHP's
 * clients send in different ways or not at all, and push messages. An answer must be complete within the timeout, even
 * if the server sends it in small parts.
 */
final class WireConnection
{
    private const CHUNK = 1 << 16;
    /** Maximum bytes of a server's error that are repeated. */
    private const LONGEST_REFUSAL = 200;

    /** @param resource $socket */
    private function __construct(
        public readonly ConnectionSettings $settings,
        private readonly mixed $socket,
        private readonly Resp3 $incoming,
    ) {}

    public function __destruct()
    {
        @fclose($this->socket);
    }

    /**
     * Connects and logs in.
     *
     * @throws ServerGone
     */
    public static function open(ConnectionSettings $settings): self
    {
        $endpoint = $settings->endpoint;

        try {
            [$user, $password] = $settings->login('redis');
        } catch (StoreUnavailable $none) {
            throw new ServerGone($none->what, $none->how, $none);
        }
        $where = $endpoint->socket === null ? $settings->streamAddress() : 'unix://' . $endpoint->socket;
        $warnings = [];
        $error = '';
        $socket = Warnings::collect(static function () use ($where, $settings, &$error): mixed {
            return stream_socket_client(
                $where,
                $code,
                $error,
                $settings->connectTimeout,
                context: stream_context_create($settings->streamContext()),
            );
        }, $warnings);
        if ($socket === false) {
            $trouble = TlsErrorHint::of($settings, $warnings);

            throw new ServerGone(
                \sprintf('no connection to %s (%s)', $endpoint, $trouble->what ?? $error),
                $trouble->how ?? '',
            );
        }
        self::waitAtMost($socket, $settings->readTimeout);
        $connection = new self($settings, $socket, new Resp3());
        if ($user . $password !== '') {
            $connection->ask(['AUTH', ...($user === '' ? [] : [$user]), $password]);
        }

        return $connection;
    }

    /**
     * Sends a command and waits for its answer.
     *
     * @param non-empty-list<string> $words
     * @return mixed as in Message
     * @throws ServerGone also if the server refuses the command; its error is repeated, except for AUTH
     */
    public function ask(#[\SensitiveParameter] array $words): mixed
    {
        $this->send($words);
        $answer = $this->answer();
        $error = $answer->error();
        if ($error !== null) {
            throw new ServerGone(\sprintf(
                '%s refuses %s (%s)',
                $this->settings->endpoint,
                $words[0],
                $words[0] === 'AUTH' ? self::knownCode($error) : self::printable($error),
            ));
        }

        return $answer->value;
    }

    /**
     * @param non-empty-list<string> $words
     * @throws ServerGone
     */
    public function send(#[\SensitiveParameter] array $words): void
    {
        $bytes = Resp3::command($words);
        // Not with the operator @: error handlers would receive the bytes, which may contain a password.
        if (Warnings::suppress(fn(): int|false => fwrite($this->socket, $bytes)) !== \strlen($bytes)) {
            throw new ServerGone(\sprintf('%s has hung up', $this->settings->endpoint));
        }
    }

    /** Afterwards, read() returns at once. */
    public function stopWaiting(): void
    {
        stream_set_blocking($this->socket, false);
    }

    /** @return resource for stream_select() */
    public function socket(): mixed
    {
        return $this->socket;
    }

    /**
     * The messages that have arrived.
     *
     * @return \Generator<Message>
     * @throws ServerGone
     */
    public function read(): \Generator
    {
        $bytes = @fread($this->socket, self::CHUNK);
        if ($bytes === false || ($bytes === '' && feof($this->socket))) {
            throw new ServerGone(\sprintf('%s has hung up', $this->settings->endpoint));
        }
        $this->incoming->feed($bytes);
        while (($message = $this->incoming->next()) !== null) {
            yield $message;
        }
    }

    private function answer(): Message
    {
        $deadline = hrtime(true) + (int) (1e9 * $this->settings->readTimeout);
        while (true) {
            $message = $this->incoming->next();
            if ($message !== null && !$message->isPush()) {
                return $message;
            }
            if ($message === null) {
                $left = ($deadline - hrtime(true)) / 1e9;
                if ($left > 0) {
                    self::waitAtMost($this->socket, $left);
                }
                $bytes = $left > 0
                    ? Warnings::suppress(fn(): string|false => fread($this->socket, self::CHUNK))
                    : false;
                if ($bytes === false || $bytes === '') {
                    throw new ServerGone(\sprintf('no answer from %s', $this->settings->endpoint));
                }
                $this->incoming->feed($bytes);
            }
        }
    }

    /** @param resource $socket */
    private static function waitAtMost(mixed $socket, float $seconds): void
    {
        stream_set_timeout($socket, (int) $seconds, max(1, (int) (1e6 * fmod($seconds, 1.0))));
    }

    /** A server may repeat the credentials in its error. */
    private static function knownCode(#[\SensitiveParameter] string $error): string
    {
        return preg_match('~^(?:WRONGPASS|NOAUTH|NOPERM|ERR|LOADING|MASTERDOWN)\b~', $error, $code) === 1
            ? $code[0]
            : 'an error';
    }

    private static function printable(string $text): string
    {
        return addcslashes(substr($text, 0, self::LONGEST_REFUSAL), "\0..\37\177..\377");
    }
}

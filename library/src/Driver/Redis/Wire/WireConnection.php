<?php

declare(strict_types=1);

namespace Larder\Driver\Redis\Wire;

use Larder\Dsn\Endpoint;

/**
 * A connection to a Redis or Valkey server, or to a sentinel, without a client: for questions that no client for PHP asks alike,
 * and for messages that nobody has asked for. Every wait for the server ends with the timeout.
 */
final class WireConnection
{
    private const CHUNK = 1 << 16;

    /** @param resource $socket */
    private function __construct(public readonly Endpoint $endpoint, private readonly mixed $socket, private readonly Resp3 $incoming) {}

    public function __destruct()
    {
        @fclose($this->socket);
    }

    /**
     * Connects and logs in.
     *
     * @param string $user may be empty, and the password too
     * @param float $timeout seconds to connect, and to wait for each part of an answer
     * @throws ServerGone
     */
    public static function open(Endpoint $endpoint, string $user, #[\SensitiveParameter] string $password, float $timeout): self
    {
        $where = $endpoint->socket === null ? 'tcp://' . $endpoint : 'unix://' . $endpoint->socket;
        $socket = @stream_socket_client($where, $code, $error, $timeout);
        if ($socket === false) {
            throw new ServerGone(\sprintf('no connection to %s (%s)', $endpoint, $error));
        }
        stream_set_timeout($socket, (int) $timeout, (int) (1e6 * fmod($timeout, 1.0)));
        $connection = new self($endpoint, $socket, new Resp3());
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
     * @throws ServerGone also when the server refuses the command; its words are repeated, but not those about AUTH
     */
    public function ask(#[\SensitiveParameter] array $words): mixed
    {
        $this->send($words);
        $answer = $this->answer();
        $error = $answer->error();
        if ($error !== null) {
            throw new ServerGone(\sprintf('%s refuses %s (%s)', $this->endpoint, $words[0], $words[0] === 'AUTH' ? strtok($error, ' ') : $error));
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
        if (@fwrite($this->socket, $bytes) !== \strlen($bytes)) {
            throw new ServerGone(\sprintf('%s has hung up', $this->endpoint));
        }
    }

    /** From here on read() returns at once. */
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
     * What has come in since.
     *
     * @return \Generator<Message>
     * @throws ServerGone
     */
    public function read(): \Generator
    {
        $bytes = @fread($this->socket, self::CHUNK);
        if ($bytes === false || ($bytes === '' && feof($this->socket))) {
            throw new ServerGone(\sprintf('%s has hung up', $this->endpoint));
        }
        $this->incoming->feed($bytes);
        while (($message = $this->incoming->next()) !== null) {
            yield $message;
        }
    }

    private function answer(): Message
    {
        while (true) {
            $message = $this->incoming->next();
            if ($message !== null && !$message->isPush()) {
                return $message;
            }
            if ($message === null) {
                $bytes = @fread($this->socket, self::CHUNK);
                if ($bytes === false || $bytes === '') {
                    throw new ServerGone(\sprintf('no answer from %s', $this->endpoint));
                }
                $this->incoming->feed($bytes);
            }
        }
    }
}

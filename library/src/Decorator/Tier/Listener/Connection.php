<?php

declare(strict_types=1);

namespace Larder\Decorator\Tier\Listener;

use Larder\Dsn\Endpoint;

/**
 * A connection on which a Redis or Valkey server tells of every change of names with a prefix, whoever makes it: client
 * tracking in broadcasting mode. After the opening it does not wait for the server.
 */
final class Connection
{
    private const CHUNK = 1 << 16;

    /** When the question was sent that is not answered yet, by hrtime(); null for none. */
    private ?int $askedAt = null;

    /** When the newest question was sent that is answered: all of before is heard. */
    private int $heardUntil;

    /** @param resource $socket */
    private function __construct(public readonly Endpoint $endpoint, private readonly mixed $socket, private readonly Resp3 $incoming)
    {
        $this->heardUntil = (int) hrtime(true);
    }

    public function __destruct()
    {
        @fclose($this->socket);
    }

    /**
     * @param float $timeout seconds
     * @throws ServerGone
     */
    public static function open(Endpoint $endpoint, string $prefix, string $user, #[\SensitiveParameter] string $password, float $timeout): self
    {
        $where = $endpoint->socket === null ? 'tcp://' . $endpoint : 'unix://' . $endpoint->socket;
        $socket = @stream_socket_client($where, $code, $error, $timeout);
        if ($socket === false) {
            throw new ServerGone(\sprintf('no connection to %s (%s)', $endpoint, $error));
        }
        stream_set_timeout($socket, (int) $timeout, (int) (1e6 * fmod($timeout, 1.0)));
        $login = $user . $password === '' ? [] : ['AUTH', $user === '' ? 'default' : $user, $password];
        $connection = new self($endpoint, $socket, new Resp3());
        foreach ([['HELLO', '3', ...$login], ['CLIENT', 'TRACKING', 'ON', 'BCAST', 'PREFIX', $prefix]] as $words) {
            $connection->send($words);
            $error = $connection->answer()->error();
            if ($error !== null) {
                throw new ServerGone(\sprintf('%s refuses %s (%s)', $endpoint, $words[0] === 'HELLO' ? 'RESP3' : 'client tracking', $error));
            }
        }
        stream_set_blocking($socket, false);

        return $connection;
    }

    /** @return resource for stream_select() */
    public function socket(): mixed
    {
        return $this->socket;
    }

    /** Asks the server for a sign of life, unless it has been asked. */
    public function ask(): void
    {
        if ($this->askedAt === null) {
            $this->askedAt = (int) hrtime(true);
            $this->send(['PING']);
        }
    }

    /** @return float seconds that the server owes an answer */
    public function silence(): float
    {
        return $this->askedAt === null ? 0.0 : (hrtime(true) - $this->askedAt) / 1e9;
    }

    /** @return int by hrtime(): what was changed until then has been given by changes() */
    public function heardUntil(): int
    {
        return $this->heardUntil;
    }

    /**
     * What has come in since.
     *
     * @return list<list<string>|true> names that were changed; true for all there are
     * @throws ServerGone
     */
    public function changes(): array
    {
        $bytes = @fread($this->socket, self::CHUNK);
        if ($bytes === false || ($bytes === '' && feof($this->socket))) {
            throw new ServerGone(\sprintf('%s has hung up', $this->endpoint));
        }
        $this->incoming->feed($bytes);
        $changes = [];
        while (($message = $this->incoming->next()) !== null) {
            $changed = $message->changed();
            if ($changed !== null) {
                $changes[] = $changed;
            } elseif ($message->error() !== null) {
                throw new ServerGone(\sprintf('%s says: %s', $this->endpoint, $message->error()));
            } elseif (!$message->isPush() && $this->askedAt !== null) {
                $this->heardUntil = $this->askedAt;
                $this->askedAt = null;
            }
        }

        return $changes;
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

    /** @param list<string> $words */
    private function send(array $words): void
    {
        $bytes = Resp3::command($words);
        if (@fwrite($this->socket, $bytes) !== \strlen($bytes)) {
            throw new ServerGone(\sprintf('%s has hung up', $this->endpoint));
        }
    }
}

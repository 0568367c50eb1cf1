<?php

declare(strict_types=1);

namespace Larder\Decorator\Tier\Listener;

use Larder\Exception\StoreUnavailable;
use Larder\Process\Quietly;
use Larder\Server\ConnectionSettings;
use Larder\Server\TlsTrouble;

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
    private function __construct(public readonly ConnectionSettings $settings, private readonly mixed $socket, private readonly Resp3 $incoming)
    {
        $this->heardUntil = (int) hrtime(true);
    }

    public function __destruct()
    {
        @fclose($this->socket);
    }

    /** @throws ServerGone */
    public static function open(ConnectionSettings $settings, string $prefix): self
    {
        $endpoint = $settings->endpoint;
        try {
            [$user, $password] = $settings->credentials->current('redis', $endpoint);
        } catch (StoreUnavailable $none) {
            throw new ServerGone($none->what, previous: $none);
        }
        $where = $endpoint->socket === null ? $settings->streamAddress() : 'unix://' . $endpoint->socket;
        $warnings = [];
        $error = '';
        $socket = Quietly::collect(static function () use ($where, $settings, &$error): mixed {
            return stream_socket_client($where, $code, $error, $settings->connectTimeout, context: stream_context_create($settings->streamContext()));
        }, $warnings);
        if ($socket === false) {
            throw new ServerGone(\sprintf('no connection to %s (%s)', $endpoint, TlsTrouble::of($settings, $warnings)->what ?? $error));
        }
        stream_set_timeout($socket, (int) $settings->readTimeout, (int) (1e6 * fmod($settings->readTimeout, 1.0)));
        $login = $user . $password === '' ? [] : ['AUTH', $user === '' ? 'default' : $user, $password];
        $connection = new self($settings, $socket, new Resp3());
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
            throw new ServerGone(\sprintf('%s has hung up', $this->settings->endpoint));
        }
        $this->incoming->feed($bytes);
        $changes = [];
        while (($message = $this->incoming->next()) !== null) {
            $changed = $message->changed();
            if ($changed !== null) {
                $changes[] = $changed;
            } elseif ($message->error() !== null) {
                throw new ServerGone(\sprintf('%s says: %s', $this->settings->endpoint, $message->error()));
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
                    throw new ServerGone(\sprintf('no answer from %s', $this->settings->endpoint));
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
            throw new ServerGone(\sprintf('%s has hung up', $this->settings->endpoint));
        }
    }
}

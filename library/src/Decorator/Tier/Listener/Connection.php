<?php

declare(strict_types=1);

namespace Larder\Decorator\Tier\Listener;

use Larder\Driver\Redis\Wire\ServerGone;
use Larder\Driver\Redis\Wire\WireConnection;
use Larder\Server\ConnectionSettings;

/**
 * A connection on which a Redis or Valkey server tells of every change of names with a prefix, whoever makes it: client
 * tracking in broadcasting mode. After the opening it does not wait for the server.
 *
 * The question that it asks for a sign of life tells as well whether the server is still what it was: it has to be answered
 * as the first time.
 */
final class Connection
{
    /** When the question was sent that is not answered yet, by hrtime(); null for none. */
    private ?int $askedAt = null;

    /** When the newest question was sent that is answered: all of before is heard. */
    private int $heardUntil;

    /**
     * @param non-empty-list<string> $question
     * @param mixed $expected what stays the same in its answers
     */
    private function __construct(private readonly WireConnection $server, private readonly array $question, private readonly mixed $expected)
    {
        $this->heardUntil = (int) hrtime(true);
    }

    /**
     * @param non-empty-list<string> $question such as ['PING']
     * @throws ServerGone
     */
    public static function open(ConnectionSettings $settings, string $prefix, array $question): self
    {
        $server = WireConnection::open($settings);
        $server->ask(['HELLO', '3']);
        $server->ask(['CLIENT', 'TRACKING', 'ON', 'BCAST', 'PREFIX', $prefix]);
        $connection = new self($server, $question, self::lasting($server->ask($question)));
        $server->stopWaiting();

        return $connection;
    }

    /** @return bool whether the server owes an answer for longer than it may */
    public function isSilent(): bool
    {
        return $this->silence() > $this->server->settings->readTimeout;
    }

    /** @return resource for stream_select() */
    public function socket(): mixed
    {
        return $this->server->socket();
    }

    /** Asks the server for a sign of life, unless it has been asked. */
    public function ask(): void
    {
        if ($this->askedAt === null) {
            $this->askedAt = (int) hrtime(true);
            $this->server->send($this->question);
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
        $changes = [];
        foreach ($this->server->read() as $message) {
            $changed = $message->changed();
            if ($changed !== null) {
                $changes[] = $changed;
            } elseif ($message->error() !== null) {
                throw new ServerGone(\sprintf('%s says: %s', $this->server->settings->endpoint, $message->error()));
            } elseif (!$message->isPush() && $this->askedAt !== null) {
                if (self::lasting($message->value) !== $this->expected) {
                    throw new ServerGone(\sprintf('%s tells of other servers, or of another role', $this->server->settings->endpoint));
                }
                $this->heardUntil = $this->askedAt;
                $this->askedAt = null;
            }
        }

        return $changes;
    }

    /** @return mixed of ROLE the role without how far it is; of CLUSTER SLOTS the masters without their replicas */
    private static function lasting(mixed $answer): mixed
    {
        if (!\is_array($answer)) {
            return $answer;
        }

        return \is_string($answer[0] ?? null) ? $answer[0] : array_map(static fn(mixed $range): mixed => \is_array($range) ? \array_slice($range, 0, 3) : $range, $answer);
    }
}

<?php

declare(strict_types=1);

namespace Larder\Internal\Decorator\Tier\Listener;

use Larder\Internal\Driver\Redis\Wire\ServerGone;
use Larder\Internal\Driver\Redis\Wire\WireConnection;
use Larder\Server\ConnectionSettings;

/**
 * A connection on which a Redis or Valkey server reports every change of names with a prefix by any client: client
 * tracking in broadcasting mode. Once open it does not wait for the server.
 *
 * A question such as PING tests whether the server is alive. It also shows whether the server has kept its role: the
 * answer must be the same as the first time.
 */
final class Connection
{
    /** Time of the question without an answer, by hrtime(); null if there is none. */
    private ?int $askedAt = null;

    /** Time of the latest question with an answer: all changes before it have been received. */
    private int $heardUntil;

    /**
     * @param non-empty-list<string> $question
     * @param mixed $expected the part of the answers that must not change
     */
    private function __construct(
        private readonly WireConnection $server,
        private readonly array $question,
        private readonly mixed $expected,
    ) {
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

    /** True if the server has not answered the question in time. */
    public function isSilent(): bool
    {
        return $this->silence() > $this->server->settings->readTimeout;
    }

    /** @return resource for stream_select() */
    public function socket(): mixed
    {
        return $this->server->socket();
    }

    /** Sends the question, unless one is unanswered. */
    public function ask(): void
    {
        if ($this->askedAt === null) {
            $this->askedAt = (int) hrtime(true);
            $this->server->send($this->question);
        }
    }

    /** @return float seconds since the unanswered question; 0.0 if there is none */
    public function silence(): float
    {
        return $this->askedAt === null ? 0.0 : (hrtime(true) - $this->askedAt) / 1e9;
    }

    /** @return int by hrtime(): changes() has returned all changes until then */
    public function heardUntil(): int
    {
        return $this->heardUntil;
    }

    /**
     * @return list<list<string>|true> names that were changed since the last call; true for all
     * @throws ServerGone
     */
    public function changes(): array
    {
        $changes = [];
        $endpoint = $this->server->settings->endpoint;
        foreach ($this->server->read() as $message) {
            $changed = $message->changed();
            if ($changed !== null) {
                $changes[] = $changed;
            } elseif ($message->error() !== null) {
                throw new ServerGone("$endpoint says: {$message->error()}");
            } elseif (!$message->isPush() && $this->askedAt !== null) {
                if (self::lasting($message->value) !== $this->expected) {
                    throw new ServerGone("$endpoint tells of other servers, or of another role");
                }
                $this->heardUntil = $this->askedAt;
                $this->askedAt = null;
            }
        }

        return $changes;
    }

    /**
     * @return mixed the role from ROLE, without its progress; the masters from CLUSTER SLOTS, without their replicas
     */
    private static function lasting(mixed $answer): mixed
    {
        if (!\is_array($answer)) {
            return $answer;
        }

        $master = static fn(mixed $range): mixed => \is_array($range) ? \array_slice($range, 0, 3) : $range;

        return \is_string($answer[0] ?? null) ? $answer[0] : array_map($master, $answer);
    }
}

<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\Redis;

use Larder\Exception\StoreFailed;
use Redis;
use RedisException;

/**
 * A Redis or Valkey server through a phpredis object of the application, in the database that was selected at the first
 * command.
 */
final class BorrowedPhpredis extends BorrowedConnection
{
    private ?int $firstDatabase = null;

    public function database(): string
    {
        if ($this->firstDatabase === null) {
            $this->ready();
        }

        return $this->firstDatabase === 0 ? '' : (string) $this->firstDatabase;
    }

    protected function send(string $command, string ...$arguments): mixed
    {
        /** @var Redis $client or an object with the same methods */
        $client = $this->borrowed->get();
        if ($this->modeOf($client) !== Redis::ATOMIC) {
            throw StoreFailed::busy('redis', 'the application has begun a transaction or a pipeline on its client');
        }
        $database = $client->isConnected() ? $client->getDBNum() : $this->firstDatabase;
        if ($database !== ($this->firstDatabase ??= $database)) {
            throw StoreFailed::busy(
                'redis',
                \sprintf(
                    'the application has selected the database %d on its client, and this cache is in %d',
                    $database,
                    $this->firstDatabase,
                ),
            );
        }

        return @$client->rawcommand($command, ...$arguments);
    }

    /** Read each time: the application may connect the same object to another server. */
    protected function serverOf(object $client, ?string $known): ?string
    {
        /** @var Redis $client */
        if (($known === null && $this->isLazy($client)) || !$client->isConnected()) {
            return $known;
        }

        return \sprintf(
            '%s:%d/%d',
            $client->getHost(),
            $client->getPort(),
            $this->firstDatabase ??= $client->getDBNum(),
        );
    }

    protected function failure(mixed $answer): \Exception
    {
        /** @var Redis $client */
        $client = $this->borrowed->get();

        return new RedisException($answer === false ? $client->getLastError() ?? 'no answer' : self::OUT_OF_STEP);
    }
}

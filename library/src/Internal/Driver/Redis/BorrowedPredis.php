<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\Redis;

use Predis\ClientException;
use Predis\ClientInterface;
use Predis\Command\RawCommand;
use Predis\Connection\AggregateConnectionInterface;
use Predis\Connection\NodeConnectionInterface;
use Predis\Response\ServerException;
use Predis\Response\Status;

/**
 * A Redis or Valkey server through a Predis client of the application. The client does not report open transactions, so
 * a command that the server has queued is an error.
 */
final class BorrowedPredis extends BorrowedConnection
{
    private string $lastError = '';

    /** A client that has lost its connection would reconnect, though the application may have another one by now. */
    protected function greet(): void
    {
        $client = $this->client();
        if ($client === $this->greeted && !$client->getConnection()->isConnected()) {
            $this->borrowed->renew();
        }
        $connection = $this->client()->getConnection();
        if (
            $this->borrowed->isInFork()
            && $connection instanceof NodeConnectionInterface
            && $connection->getParameters()->persistent
        ) {
            throw $this->borrowed->shared();
        }
        if ($connection instanceof AggregateConnectionInterface) {
            throw new ClientException(
                'it leads to several servers, and may read from a replica or from a part of the keys alone: '
                    . 'take one that leads to one server',
            );
        }
        parent::greet();
    }

    public function database(): string
    {
        $connection = $this->client()->getConnection();
        $database = $connection instanceof NodeConnectionInterface ? $connection->getParameters()->database : null;

        return \is_scalar($database) && (int) $database !== 0 ? (string) (int) $database : '';
    }

    protected function send(string $command, string ...$arguments): mixed
    {
        try {
            $answer = $this->client()->executeCommand(new RawCommand($command, $arguments));
        } catch (ServerException $error) { // if the client's option exceptions is on
            $answer = $error->toErrorResponse();
        }
        if ($answer instanceof Status && $answer->getPayload() === 'QUEUED') {
            throw $this->queued();
        }

        return Predis::plain($answer, $this->lastError);
    }

    protected function serverOf(object $client, ?string $known): ?string
    {
        if ($known !== null) {
            return $known;
        }
        $connection = $client instanceof ClientInterface ? $client->getConnection() : null;
        if (!$connection instanceof NodeConnectionInterface) {
            return null;
        }
        $parameters = $connection->getParameters();

        return serialize(array_map(
            static fn(string $name): mixed => $parameters->$name,
            ['host', 'port', 'path', 'database'],
        ));
    }

    protected function failure(mixed $answer): \Exception
    {
        return new ClientException($answer === false ? $this->lastError : self::OUT_OF_STEP);
    }

    private function client(): ClientInterface
    {
        /** @var ClientInterface $client */
        $client = $this->borrowed->get();

        return $client;
    }
}

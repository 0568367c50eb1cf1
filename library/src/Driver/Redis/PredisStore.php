<?php

declare(strict_types=1);

namespace Larder\Driver\Redis;

use Larder\Exception\StoreUnavailable;
use Predis\Client;
use Predis\ClientException;
use Predis\Command\RawCommand;
use Predis\Connection\Parameters;
use Predis\Connection\StreamConnection;
use Predis\Pipeline\Pipeline;
use Predis\Response\Status;

/** A Redis or Valkey server by Predis, which needs no extension. */
final class PredisStore extends RedisProtocol
{
    private Client $client;

    protected function checkClient(): void
    {
        if (!class_exists(Client::class)) {
            throw StoreUnavailable::because('redis', 'the package predis/predis is not installed', 'To add it: composer require predis/predis');
        }
    }

    protected function connect(bool $persistent): void
    {
        // The client gives names to the connections over TCP that are kept open, and none to those over unix sockets: there
        // a program's own might be got, which has another user or another database.
        $endpoint = $this->settings->endpoint;
        $where = $endpoint->socket === null
            ? ['scheme' => 'tcp', 'host' => $endpoint->host, 'port' => $endpoint->port, ...($persistent ? ['persistent' => $this->connectionName()] : [])]
            : ['scheme' => 'unix', 'path' => $endpoint->socket];
        $this->client = new Client(new StreamConnection(new Parameters([
            ...$where,
            ...$this->tls(),
            'timeout' => $this->settings->connectTimeout,
            'read_write_timeout' => $this->settings->readTimeout,
        ])));
        $login = $this->login();
        if ($login !== []) {
            $this->authenticate($login);
        }
        $answer = $this->client->select($this->database);
        if (!$answer instanceof Status || $answer->getPayload() !== 'OK') {
            throw self::wrongAnswer();
        }
    }

    /** @return array<string, mixed> parameters of the client */
    private function tls(): array
    {
        $options = $this->settings->tls?->context($this->settings->endpoint);

        return $options === null ? [] : ['scheme' => 'tls', 'ssl' => ['crypto_type' => $options['crypto_method'], ...$options]];
    }

    /**
     * Throws without a trace in which the password is.
     *
     * @param array{string}|array{string, string} $login
     */
    private function authenticate(#[\SensitiveParameter] array $login): void
    {
        $answer = $this->client->executeRaw(['AUTH', ...$login], $isError);
        if ($isError === true) {
            throw new ClientException(RedisTrouble::ofLogin(\is_string($answer) ? $answer : 'WRONGPASS'));
        }
    }

    protected function disconnect(): void
    {
        try {
            $this->client->disconnect();
        } catch (\TypeError) {
            // another client closed it
        }
    }

    protected function isConnected(): bool
    {
        return $this->client->isConnected();
    }

    protected function answers(): bool
    {
        $this->client->ping();

        return true;
    }

    protected function read(string $name): ?string
    {
        return $this->client->get($name);
    }

    protected function readMany(array $names): array
    {
        return array_values($this->client->mget($names));
    }

    protected function exists(string $name): bool
    {
        return self::count($this->client->exists($name)) === 1;
    }

    protected function write(string $name, string $bytes, int $milliseconds): bool
    {
        if ($milliseconds > 0) {
            $this->client->psetex($name, $milliseconds, $bytes);
        } else {
            $this->client->set($name, $bytes);
        }

        return true; // what the server refuses throws
    }

    protected function writeMany(array $values, int $milliseconds): bool
    {
        $pipeline = new Pipeline($this->client);
        foreach ($values as $name => $bytes) {
            if ($milliseconds > 0) {
                $pipeline->psetex($name, $milliseconds, $bytes);
            } else {
                $pipeline->set($name, $bytes);
            }
        }
        $pipeline->execute();

        return true;
    }

    protected function remove(array $names): bool
    {
        self::count($this->client->unlink($names));

        return true;
    }

    protected function command(string $command, string ...$arguments): mixed
    {
        $answer = $this->client->executeRaw([$command, ...$arguments], $isError);

        if ($isError === true && \is_string($answer) && Redirection::of($answer) !== null) {
            throw new ClientException($answer);
        }

        return $isError === true ? false : $answer;
    }

    protected function commands(array $commands): array
    {
        $pipeline = new Pipeline($this->client);
        foreach ($commands as $words) {
            $pipeline->executeCommand(RawCommand::create(...$words));
        }

        return array_values($pipeline->execute());
    }

    protected function names(string $pattern): iterable
    {
        $position = '0';
        do {
            /** @var array{int|string, list<string>} $answer */
            $answer = $this->client->scan($position, ['MATCH' => $pattern, 'COUNT' => self::NAMES_AT_ONCE]);
            [$position, $names] = $answer;
            if ($names !== []) {
                yield $names;
            }
        } while ((string) $position !== '0');
    }

    private static function count(mixed $answer): int
    {
        return \is_int($answer) ? $answer : throw self::wrongAnswer();
    }

    /** The client takes any answer for the one to what was asked, also one that a request which died has left behind. */
    private static function wrongAnswer(): ClientException
    {
        return new ClientException('the answer is of another kind');
    }
}

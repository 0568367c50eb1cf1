<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\Redis;

use Larder\Exception\StoreUnavailable;
use Larder\Internal\Process\Functions;
use Predis\Client;
use Predis\ClientException;
use Predis\Command\RawCommand;
use Predis\Connection\Parameters;
use Predis\Connection\StreamConnection;
use Predis\Pipeline\Pipeline;
use Predis\Response\ErrorInterface;
use Predis\Response\Status;
use Psr\Http\Message\StreamInterface;

/** A connection of Predis, which needs no extension. */
final class Predis extends ServerConnection
{
    private Client $client;
    private string $lastError = '';

    /** @throws ClientException for an error that is not about this command alone */
    public static function plain(mixed $answer, string &$lastError): mixed
    {
        if ($answer instanceof ErrorInterface) {
            $lastError = $answer->getMessage();

            return preg_match(self::OF_THE_COMMAND, $lastError) === 1 ? false : throw new ClientException($lastError);
        }

        return $answer instanceof Status ? $answer->getPayload() : $answer;
    }

    protected function checkClient(): void
    {
        if (!class_exists(Client::class)) {
            throw StoreUnavailable::because(
                'redis',
                'the package predis/predis is not installed',
                'To add it: composer require predis/predis',
            );
        }
        if (ini_get('disable_functions') !== '') {
            StoreUnavailable::unlessThere('redis', Functions::missingWith('predis'));
        }
    }

    protected function connect(bool $persistent, string $early): void
    {
        // The client can name persistent connections over TCP, but not those over unix sockets. There it might get a
        // program's own connection, with another user or another database.
        $endpoint = $this->settings->endpoint;
        $where = $endpoint->socket === null
            ? [
                'scheme' => 'tcp',
                'host' => $endpoint->host,
                'port' => $endpoint->port,
                ...($persistent ? ['persistent' => $this->connectionName()] : []),
            ]
            : ['scheme' => 'unix', 'path' => $endpoint->socket];
        $this->client = new Client(new StreamConnection(new Parameters([
            ...$where,
            ...$this->tls(),
            'timeout' => $this->settings->connectTimeout,
            'read_write_timeout' => $this->settings->readTimeout,
        ])), ['exceptions' => false]);
        $login = $this->login();
        if ($login !== []) {
            $this->authenticate($login);
        }
        // As in Phpredis.
        $answer = $this->database === 0
            ? $this->isAnswering()
            : self::isStatus($this->send('SELECT', (string) $this->database), 'OK');
        if (!$answer) {
            throw $this->failure($answer);
        }
    }

    /** @return array<string, mixed> parameters of the client */
    private function tls(): array
    {
        $options = $this->settings->tls?->context($this->settings->endpoint);

        return $options === null
            ? []
            : ['scheme' => 'tls', 'ssl' => ['crypto_type' => $options['crypto_method'], ...$options]];
    }

    /**
     * Throws an exception whose trace does not contain the password.
     *
     * @param array{string}|array{string, string} $login
     */
    private function authenticate(#[\SensitiveParameter] array $login): void
    {
        $answer = $this->client->executeRaw(['AUTH', ...$login], $isError);
        if ($isError === true) {
            throw new ClientException(RedisErrorHint::ofLogin(\is_string($answer) ? $answer : 'WRONGPASS'));
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

    protected function send(string $command, string ...$arguments): mixed
    {
        $answer = $this->client->executeCommand(new RawCommand($command, $arguments));
        $this->refusePart();

        return \is_object($answer) ? self::plain($answer, $this->lastError) : $answer;
    }

    protected function sendAll(array $commands): array
    {
        $pipeline = new Pipeline($this->client);
        foreach ($commands as $words) {
            $pipeline->executeCommand(RawCommand::create(...$words));
        }

        $answers = array_values($pipeline->execute());
        $this->refusePart();

        return array_map(fn(mixed $answer): mixed => self::plain($answer, $this->lastError), $answers);
    }

    /**
     * Predis accepts an incomplete line, after a timeout or the end of the connection, as a whole one: 62 instead of
     * 6279.
     */
    private function refusePart(): void
    {
        $connection = $this->client->getConnection();
        $state = self::state($connection instanceof StreamConnection ? $connection->getResource() : null);
        if (($state['timed_out'] ?? false) === true || ($state['eof'] ?? false) === true) {
            throw new ClientException('the answer came in part');
        }
    }

    /** @return array<mixed> of a stream: in Predis 2 PHP's own, in Predis 3 an object over it */
    private static function state(mixed $stream): array
    {
        return match (true) {
            $stream instanceof StreamInterface => (array) $stream->getMetadata(),
            \is_resource($stream) => stream_get_meta_data($stream),
            default => [],
        };
    }

    /** The client accepts any answer, even one that a request which died has left behind. */
    protected function read(string $name): ?string
    {
        $bytes = $this->send('GET', $name);

        return \is_string($bytes)
            ? $bytes
            : ($bytes === null || $bytes === false ? null : throw $this->failure($bytes));
    }

    protected function failure(mixed $answer): \Exception
    {
        return new ClientException(
            $answer === false && $this->lastError !== '' ? $this->lastError : 'the answer is of another kind',
        );
    }
}

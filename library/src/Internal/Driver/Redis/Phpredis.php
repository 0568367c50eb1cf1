<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\Redis;

use Larder\Exception\StoreUnavailable;
use Redis;
use RedisException;

/** A connection of phpredis. */
final class Phpredis extends ServerConnection
{
    private Redis $client;

    /** @var list<Redis> of the parent of this fork: freeing them would release their connections to others */
    private array $inherited = [];

    private bool $isPersistent = false;

    /** The process that created the client. */
    private int $maker = 0;

    protected function checkClient(): void
    {
        if (!class_exists(Redis::class, false)) { // the exception and its parents are loaded for this call alone
            StoreUnavailable::unlessLoaded('redis', 'redis', 'redis');
        }
    }

    protected function connect(bool $persistent, string $early): void
    {
        if ($this->maker !== 0 && $this->maker !== $this->opening) {
            $this->inherited = [...$this->inherited, $this->client];
        }
        $this->maker = $this->opening;
        $this->client = new Redis();
        $settings = $this->settings;
        $endpoint = $settings->endpoint;
        $where = $endpoint->socket ?? ($settings->tls === null ? '' : 'tls://') . $endpoint->host;
        $context = $settings->tls === null ? [] : [['stream' => $settings->tls->context($endpoint)]];
        $this->isPersistent = $persistent && self::hasNamedPools();
        if ($this->isPersistent) {
            $proof = self::setting(
                'redis.pconnect.echo_check_liveness',
                '0',
            ); // avoids its round trip; prove() tests the connection without one

            try {
                $this->client->pconnect(
                    $where,
                    $endpoint->port,
                    $settings->connectTimeout,
                    $this->connectionName(),
                    0,
                    $settings->readTimeout,
                    ...$context,
                );
            } finally {
                if ($proof !== false) {
                    self::setting('redis.pconnect.echo_check_liveness', $proof);
                }
            }
            $this->client->setOption(
                Redis::OPT_READ_TIMEOUT,
                $settings->readTimeout,
            ); // a persistent connection keeps the timeout of the request that opened it
        } else {
            $this->client->connect(
                $where,
                $endpoint->port,
                $settings->connectTimeout,
                null,
                0,
                $settings->readTimeout,
                ...$context,
            );
        }
        // No retries: before version 6, phpredis reconnects in the middle of a reply, and then waits for the rest of
        // it.
        $this->client->setOption(Redis::OPT_MAX_RETRIES, 0);
        $this->authenticate();
        // Some proxies do not support SELECT.
        if ($this->isPersistent) {
            $this->prove($early);
        } elseif ($this->database === 0 ? !$this->isAnswering() : $this->client->select($this->database) !== true) {
            throw new RedisException($this->client->getLastError() ?? 'no answer');
        }
    }

    /**
     * Tests a persistent connection by an echoed word, since a request that died may have left replies in it. The value
     * of $early is read in the same round trip.
     *
     * @throws RedisException if the word does not come back
     */
    private function prove(string $early): void
    {
        $start = hrtime(true);
        $proof = [(string) $start]; // unique among the requests of this process
        $pipeline = $this->client->pipeline();
        if ($this->database !== 0) {
            $pipeline->rawcommand('SELECT', (string) $this->database);
            $proof = [true, ...$proof];
        }
        $pipeline->rawcommand('PING', (string) $start);
        if ($early !== '') {
            $pipeline->get($early);
        }
        $answers = @$pipeline->exec();
        if (
            !\is_array($answers)
            || \array_slice($answers, 0, \count($proof)) !== $proof
            || hrtime(true) - $start > $this->longestReply
        ) {
            throw new RedisException($this->client->getLastError() ?? 'no answer');
        }
        $read = $answers[\count($proof)] ?? null;
        $this->early = $early === '' ? null : [\is_string($read) ? $read : null];
    }

    /** Throws an exception whose trace does not contain the password. */
    private function authenticate(): void
    {
        $login = $this->login();
        if ($login === []) {
            return;
        }

        try {
            $error = $this->client->auth($login) === true
                ? null
                : RedisErrorHint::ofLogin($this->client->getLastError() ?? 'WRONGPASS');
        } catch (RedisException $refusal) {
            // The client throws the server's error, or its own if there was no answer.
            $answer = $this->client->getLastError();
            $error = $answer === null ? $refusal->getMessage() : RedisErrorHint::ofLogin($answer);
        }
        if ($error !== null) {
            throw new RedisException($error);
        }
    }

    /**
     * True if persistent connections are distinguished by name. By default the client's pools depend on host and port
     * alone. With an "i" in the setting, a program's own connections never get the user or the database of this store.
     */
    private static function hasNamedPools(): bool
    {
        $pattern = (string) ini_get('redis.pconnect.pool_pattern');

        return ini_get('redis.pconnect.pooling_enabled') !== '1' || str_contains($pattern, 'i')
            || self::setting('redis.pconnect.pool_pattern', $pattern . 'i') !== false;
    }

    /**
     * @param string $bySetting never passed: see Larder\Process\Pid
     * @return string|false the old value; false if it cannot be set
     */
    private static function setting(string $name, string $value, string $bySetting = 'ini_set'): string|false
    {
        return \function_exists($bySetting) ? @ini_set($name, $value) : false;
    }

    protected function disconnect(): void
    {
        if (!$this->isPersistent) {
            // close() would reconnect and wait if the client has closed the connection by itself
            $this->client = new Redis();

            return;
        }

        try {
            $this->client->close();
        } catch (RedisException) {
            // it was already closed
        }
    }

    protected function send(string $command, string ...$arguments): mixed
    {
        $start = hrtime(true);
        $answer = @$this->client->rawcommand($command, ...$arguments);
        if (\is_int($answer) && hrtime(true) - $start >= 1e9 * $this->settings->readTimeout) {
            throw new RedisException(
                'the answer came in part',
            ); // the client accepts an incomplete line as a whole one
        }

        return $answer;
    }

    protected function sendAll(array $commands): array
    {
        $pipeline = $this->client->pipeline();
        foreach ($commands as $words) {
            $pipeline->rawcommand(...$words);
        }
        $answers = @$pipeline->exec();

        return \is_array($answers) && \count($answers) === \count($commands)
            ? array_values($answers)
            : throw $this->failure(false);
    }

    protected function read(string $name): ?string
    {
        $bytes = @$this->client->get($name);

        return \is_string($bytes) ? $bytes : null;
    }

    protected function write(string $name, string $bytes, int $milliseconds): bool
    {
        return ($milliseconds > 0 ? @$this->client->psetex($name, $milliseconds, $bytes) : @$this->client->set(
            $name,
            $bytes,
        )) === true;
    }

    protected function failure(mixed $answer): \Exception
    {
        return new RedisException(
            $answer === false ? $this->client->getLastError() ?? 'no answer' : 'the answer is of another kind',
        );
    }
}

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

    /** @var list<Redis> of the process this one was forked from: freeing them would give their connections to others */
    private array $inherited = [];

    private bool $isPersistent = false;

    /** The process that made the client. */
    private int $maker = 0;

    protected function checkClient(): void
    {
        if (!class_exists(Redis::class, false)) { // the exception and its parents are loaded for that call
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
            ); // a round trip; prove() needs none of its own

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
            ); // it has that of the request that opened it
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
        // No retries: before version 6 it reconnects in the middle of a reply, and then waits for the rest of it.
        $this->client->setOption(Redis::OPT_MAX_RETRIES, 0);
        $this->authenticate();
        // Not all proxies know SELECT.
        if ($this->isPersistent) {
            $this->prove($early);
        } elseif ($this->database === 0 ? !$this->isAnswering() : $this->client->select($this->database) !== true) {
            throw new RedisException($this->client->getLastError() ?? 'no answer');
        }
    }

    /**
     * A kept connection must return a word: a request that died may have left replies in it. What is read comes with
     * it.
     *
     * @throws RedisException if it does not
     */
    private function prove(string $early): void
    {
        $start = hrtime(true);
        $proof = [(string) $start]; // no other request of this process had this one
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

    /** Throws without a trace in which the password is. */
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
            // The client throws what the server says, or says in words of its own that there was no answer.
            $answer = $this->client->getLastError();
            $error = $answer === null ? $refusal->getMessage() : RedisErrorHint::ofLogin($answer);
        }
        if ($error !== null) {
            throw new RedisException($error);
        }
    }

    /**
     * True if connections that are kept open are distinguished by name. The client's pools go by host and port alone
     * unless its setting has an "i": with that a program's own connections never have the user or the database of this
     * store.
     */
    private static function hasNamedPools(): bool
    {
        $pattern = (string) ini_get('redis.pconnect.pool_pattern');

        return ini_get('redis.pconnect.pooling_enabled') !== '1' || str_contains($pattern, 'i')
            || self::setting('redis.pconnect.pool_pattern', $pattern . 'i') !== false;
    }

    /**
     * @param string $bySetting not to be given: see Larder\Process\Pid
     * @return string|false the value before; false if it cannot be set
     */
    private static function setting(string $name, string $value, string $bySetting = 'ini_set'): string|false
    {
        return \function_exists($bySetting) ? @ini_set($name, $value) : false;
    }

    protected function disconnect(): void
    {
        if (!$this->isPersistent) {
            $this->client = new Redis(); // close() would connect again, and wait, if the client has closed it by itself

            return;
        }

        try {
            $this->client->close();
        } catch (RedisException) {
            // it was closed
        }
    }

    protected function send(string $command, string ...$arguments): mixed
    {
        $start = hrtime(true);
        $answer = @$this->client->rawcommand($command, ...$arguments);
        if (\is_int($answer) && hrtime(true) - $start >= 1e9 * $this->settings->readTimeout) {
            throw new RedisException(
                'the answer came in part',
            ); // the client takes a line without its end for a whole one
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

<?php

declare(strict_types=1);

namespace Larder\Driver\Redis;

use Larder\Exception\StoreUnavailable;
use Larder\Process\Pid;
use Redis;
use RedisException;

/** A Redis or Valkey server by phpredis. */
final class RedisStore extends RedisProtocol
{
    private Redis $client;

    /** @var list<Redis> of the process this one was forked from: freeing them would give their connections to others */
    private array $inherited = [];

    private bool $isPersistent = false;

    /** The process that made the client. */
    private int $maker = 0;

    protected function checkClient(): void
    {
        StoreUnavailable::unlessLoaded('redis', 'redis', 'redis');
    }

    protected function connect(bool $persistent): void
    {
        if ($this->maker !== 0 && $this->maker !== Pid::own()) {
            $this->inherited = [...$this->inherited, $this->client];
        }
        $this->maker = Pid::own();
        $this->client = new Redis();
        $settings = $this->settings;
        $endpoint = $settings->endpoint;
        $where = $endpoint->socket ?? ($settings->tls === null ? '' : 'tls://') . $endpoint->host;
        $context = $settings->tls === null ? [] : [['stream' => $settings->tls->context($endpoint)]];
        $this->isPersistent = $persistent && self::hasNamedPools();
        if ($this->isPersistent) {
            $this->client->pconnect($where, $endpoint->port, $settings->connectTimeout, $this->connectionName(), 0, $settings->readTimeout, ...$context);
        } else {
            $this->client->connect($where, $endpoint->port, $settings->connectTimeout, null, 0, $settings->readTimeout, ...$context);
        }
        // No retries: before version 6 it reconnects in the middle of a reply, and then waits for the rest of it.
        $this->client->setOption(Redis::OPT_MAX_RETRIES, 0);
        $this->authenticate();
        if ($this->client->select($this->database) !== true) {
            throw new RedisException($this->client->getLastError() ?? 'no answer');
        }
        $this->client->setOption(Redis::OPT_SCAN, Redis::SCAN_RETRY);
    }

    /** Throws without a trace in which the password is. */
    private function authenticate(): void
    {
        $login = $this->login();
        if ($login === []) {
            return;
        }

        try {
            $error = $this->client->auth($login) === true ? null : RedisTrouble::ofLogin($this->client->getLastError() ?? 'WRONGPASS');
        } catch (RedisException $refusal) {
            // The client throws what the server says, or says in words of its own that there was no answer.
            $answer = $this->client->getLastError();
            $error = $answer === null ? $refusal->getMessage() : RedisTrouble::ofLogin($answer);
        }
        if ($error !== null) {
            throw new RedisException($error);
        }
    }

    /**
     * Whether connections that are kept open are told apart by name. The client's pools go by host and port alone unless its
     * setting has an "i": with that a program's own connections never have the user or the database of this store.
     */
    private static function hasNamedPools(): bool
    {
        $pattern = (string) \ini_get('redis.pconnect.pool_pattern');

        return \ini_get('redis.pconnect.pooling_enabled') !== '1' || str_contains($pattern, 'i') || @ini_set('redis.pconnect.pool_pattern', $pattern . 'i') !== false;
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

    protected function isConnected(): bool
    {
        return true; // it stays open after a whole answer
    }

    protected function answers(): bool
    {
        return @$this->client->ping() !== false;
    }

    protected function read(string $name): ?string
    {
        $bytes = @$this->client->get($name);

        return \is_string($bytes) ? $bytes : null;
    }

    protected function readMany(array $names): array
    {
        $values = @$this->client->mget($names);

        return \is_array($values) ? array_values($values) : throw $this->wrongAnswer();
    }

    protected function exists(string $name): bool
    {
        $count = @$this->client->exists($name);

        return \is_int($count) ? $count === 1 : throw $this->wrongAnswer();
    }

    protected function write(string $name, string $bytes, int $milliseconds): bool
    {
        return ($milliseconds > 0 ? @$this->client->psetex($name, $milliseconds, $bytes) : @$this->client->set($name, $bytes)) === true;
    }

    protected function writeMany(array $values, int $milliseconds): bool
    {
        $pipeline = $this->client->pipeline();
        foreach ($values as $name => $bytes) {
            if ($milliseconds > 0) {
                $pipeline->psetex($name, $milliseconds, $bytes);
            } else {
                $pipeline->set($name, $bytes);
            }
        }
        $answers = @$pipeline->exec();

        return \is_array($answers) && \count($answers) === \count($values) && !\in_array(false, $answers, true);
    }

    protected function remove(array $names): bool
    {
        return \is_int(@$this->client->unlink($names)) ? true : throw $this->wrongAnswer();
    }

    protected function command(string $command, string ...$arguments): mixed
    {
        return @$this->client->rawcommand($command, ...$arguments);
    }

    protected function commands(array $commands): array
    {
        $pipeline = $this->client->pipeline();
        foreach ($commands as $words) {
            $pipeline->rawcommand(...$words);
        }
        $answers = @$pipeline->exec();

        return \is_array($answers) && \count($answers) === \count($commands) ? array_values($answers) : throw $this->wrongAnswer();
    }

    protected function names(string $pattern): iterable
    {
        $position = null;
        do {
            $names = @$this->client->scan($position, $pattern, self::NAMES_AT_ONCE);
            if (\is_array($names) && $names !== []) {
                yield array_values($names);
            }
        } while ($names !== false);
    }

    /** The client throws at most of what is no answer to what was asked; at the rest it gives false. */
    private function wrongAnswer(): RedisException
    {
        return new RedisException($this->client->getLastError() ?? 'the answer is of another kind');
    }
}

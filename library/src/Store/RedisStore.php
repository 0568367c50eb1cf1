<?php

declare(strict_types=1);

namespace Larder\Store;

use Larder\Exception\StoreUnavailable;
use Larder\Pid;
use Redis;
use RedisException;

/** A Redis or Valkey server by phpredis. */
final class RedisStore extends RedisProtocol
{
    private const NAMES_AT_ONCE = 1000;

    private Redis $client;

    /** @var list<Redis> of the process this one was forked from: freeing them would give their connections to others */
    private array $inherited = [];

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
        $where = $this->endpoint->socket ?? $this->endpoint->host;
        if ($persistent) {
            $this->client->pconnect($where, $this->endpoint->port, $this->timeout, null, 0, $this->timeout);
        } else {
            $this->client->connect($where, $this->endpoint->port, $this->timeout, null, 0, $this->timeout);
        }
        // Once: what is lost then is known to be lost, and the timeout counts.
        $this->client->setOption(Redis::OPT_MAX_RETRIES, 1);
        if ($this->password !== '' && $this->client->auth($this->user === '' ? $this->password : [$this->user, $this->password]) !== true) {
            throw new RedisException($this->client->getLastError() ?? 'the password was refused');
        }
        if ($this->client->select($this->database) !== true) {
            throw new RedisException($this->client->getLastError() ?? 'no answer');
        }
        $this->client->setOption(Redis::OPT_SCAN, Redis::SCAN_RETRY);
    }

    protected function disconnect(): void
    {
        try {
            $this->client->close();
        } catch (RedisException) {
            // it was closed
        }
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

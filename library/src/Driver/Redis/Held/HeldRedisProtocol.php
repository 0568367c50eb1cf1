<?php

declare(strict_types=1);

namespace Larder\Driver\Redis\Held;

use Larder\Codec\Codec;
use Larder\Codec\PhpCodec;
use Larder\Contract\NamesServer;
use Larder\Driver\HeldClient;
use Larder\Driver\Redis\RedisProtocol;
use Larder\Exception\StoreFailed;
use Larder\Exception\StoreUnavailable;
use Larder\Server\ConnectionSettings;
use Predis\PredisException;
use Redis;
use RedisCluster;
use RedisException;

/**
 * What the stores over clients of the application have in common. They send raw commands alone, which know nothing of
 * the client's prefix, serializer and compression, and neither open nor close a connection. Before the first command,
 * and after each failure, a word is sent that the server has to return: a client with an unread reply is not used.
 */
abstract class HeldRedisProtocol extends RedisProtocol implements NamesServer
{
    /** Said of a client whose replies do not belong to its commands. */
    protected const OUT_OF_STEP = 'a reply to another command has come: the application must close its client and connect it again';

    /** That has replied. */
    protected ?object $greeted = null;

    /** Whose server is known. */
    private ?object $named = null;
    private ?string $server = null;

    /** Seconds. The client's timeout holds, and not the store's. */
    private const NO_LIMIT = 1e8;

    /** KEYS: names. ARGV: milliseconds to live, 0 for no expiry; bytes in the order of the names. */
    private const WRITE = <<<'LUA'
        for i, name in ipairs(KEYS) do
            if ARGV[1] == '0' then
                redis.call('SET', name, ARGV[i + 1])
            else
                redis.call('SET', name, ARGV[i + 1], 'PX', ARGV[1])
            end
        end
        return 1
        LUA;

    public function __construct(protected readonly HeldClient $held, string $namespace = 'larder', Codec $codec = new PhpCodec())
    {
        parent::__construct(new ConnectionSettings($held->endpoint(), readTimeout: self::NO_LIMIT), $namespace, $codec);
    }

    public function server(): ?string
    {
        $client = $this->held->ifThere();
        if ($client !== $this->named) {
            $this->named = $client;
            $this->server = null;
        }

        return $this->server = $client === null ? null : $this->serverOf($client, $this->server);
    }

    public function reach(): void
    {
        try {
            parent::reach();
        } catch (StoreUnavailable|StoreFailed $none) {
            throw $none instanceof StoreFailed && $none->isBusy ? $none : StoreUnavailable::because('redis', $none->what, 'Can the application use its client?', $none);
        }
    }

    /**
     * @return mixed the reply as phpredis gives it: false for null and for errors
     * @throws StoreFailed while the application uses the client for something else
     */
    abstract protected function send(string $command, string ...$arguments): mixed;

    /**
     * @param mixed $answer that is no reply to the command
     * @return \Exception what the server refused, or that the reply belongs to another command
     */
    abstract protected function failure(mixed $answer): \Exception;

    /**
     * @param string|null $known what it was before, of the same client
     * @return string|null as server()
     */
    abstract protected function serverOf(object $client, ?string $known): ?string;

    protected function checkClient(): void {}

    /** When that fails, the application may have another client by now. */
    protected function connect(bool $persistent): void
    {
        try {
            $this->greet();
        } catch (RedisException|PredisException|\TypeError $lost) {
            if (!$this->held->renew()) {
                throw $lost;
            }
            $this->greet();
        }
        $this->greeted = $this->held->get();
    }

    /** Whether it may connect by the first method that is called, as proxies of phpredis do, and throw what its framework does. */
    final protected function isLazy(object $client): bool
    {
        return $client !== $this->greeted && !(new \ReflectionClass($client))->isInternal();
    }

    /**
     * The first method that is called.
     *
     * @param Redis|RedisCluster $client or what has its methods
     * @throws StoreFailed if a lazy one cannot connect
     */
    final protected function modeOf(object $client): mixed
    {
        try {
            return $client->getMode();
        } catch (\Exception $error) {
            throw !$error instanceof RedisException && $this->isLazy($client) ? StoreFailed::because('redis', \sprintf('the application\'s client cannot connect (%s)', $error->getMessage()), $error) : $error;
        }
    }

    /**
     * @throws StoreFailed for a client in a transaction that it does not know of
     * @throws RedisException|PredisException|\TypeError
     */
    protected function greet(): void
    {
        $word = bin2hex(random_bytes(8));
        $answer = $this->send('PING', $word);
        if ($answer === 'QUEUED') {
            throw $this->queued();
        }
        if ($answer === true) { // a status, perhaps QUEUED
            throw StoreFailed::because('redis', self::OUT_OF_STEP);
        }
        if ($answer !== $word) {
            throw $this->failure($answer);
        }
    }

    /** No failure of the connection, after which the application would be asked for another client, outside of its transaction. */
    final protected function queued(): StoreFailed
    {
        return StoreFailed::because('redis', 'the server has queued a command of the cache in a transaction of the application: do not use both at once');
    }

    protected function disconnect(): void {}

    /** Whether it is, the application sees to. */
    protected function isConnected(): bool
    {
        return true;
    }

    protected function answers(): bool
    {
        return \in_array($this->send('PING'), [true, 'PONG'], true);
    }

    protected function command(string $command, string ...$arguments): mixed
    {
        return $this->send($command, ...$arguments);
    }

    /** One after the other: a pipeline would be the application's too. */
    protected function commands(array $commands): array
    {
        return array_map(fn(array $words): mixed => $this->send(...$words), $commands);
    }

    protected function read(string $name): ?string
    {
        $bytes = $this->send('GET', $name);

        return \is_string($bytes) ? $bytes : null;
    }

    protected function readMany(array $names): array
    {
        $values = $this->send('MGET', ...$names);

        return \is_array($values) ? array_values($values) : throw $this->failure($values);
    }

    protected function exists(string $name): bool
    {
        $count = $this->send('EXISTS', $name);

        return \is_int($count) ? $count === 1 : throw $this->failure($count);
    }

    protected function write(string $name, string $bytes, int $milliseconds): bool
    {
        $ttl = $milliseconds > 0 ? ['PX', (string) $milliseconds] : [];

        return \in_array($this->send('SET', $name, $bytes, ...$ttl), [true, 'OK'], true);
    }

    protected function writeMany(array $values, int $milliseconds): bool
    {
        $names = array_map(strval(...), array_keys($values));

        return $this->send('EVAL', self::WRITE, (string) \count($names), ...$names, ...[(string) $milliseconds], ...array_values($values)) === 1;
    }

    protected function remove(array $names): bool
    {
        $count = $this->send('UNLINK', ...$names);

        return \is_int($count) ? true : throw $this->failure($count);
    }

    protected function names(string $pattern): iterable
    {
        return $this->namesOf($pattern, $this->send(...));
    }

    /**
     * @param \Closure(string, string...): mixed $send
     * @return iterable<non-empty-list<string>>
     */
    final protected function namesOf(string $pattern, \Closure $send): iterable
    {
        $position = '0';
        do {
            $answer = $send('SCAN', $position, 'MATCH', $pattern, 'COUNT', (string) self::NAMES_AT_ONCE);
            if (!\is_array($answer) || !isset($answer[0], $answer[1]) || !\is_scalar($answer[0]) || !\is_array($answer[1])) {
                throw $this->failure($answer);
            }
            $position = (string) $answer[0];
            $names = array_values(array_filter($answer[1], is_string(...)));
            if ($names !== []) {
                yield $names;
            }
        } while ($position !== '0');
    }
}

<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\Redis;

use Larder\Contract\NamesServer;
use Larder\Exception\StoreFailed;
use Larder\Exception\StoreUnavailable;
use Larder\Internal\Driver\BorrowedClient;
use Larder\Server\ConnectionSettings;
use Predis\PredisException;
use Redis;
use RedisCluster;
use RedisException;

/**
 * A client of the application. It receives only raw commands, which bypass its prefix, serializer and compression. It
 * is neither opened nor closed here. Before the first command, and after each failure, the server must echo a word: a
 * client with an unread reply is not used.
 */
abstract class BorrowedConnection extends ServerConnection implements NamesServer
{
    /** Message about a client whose replies do not belong to its commands. */
    protected const OUT_OF_STEP = 'a reply to another command has come: '
        . 'the application must close its client and connect it again';

    /** The client that has replied. */
    protected ?object $greeted = null;

    /** The client whose server is known. */
    private ?object $named = null;
    private ?string $server = null;

    /** Seconds. Only the client's own timeout counts. */
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

    public function __construct(protected readonly BorrowedClient $borrowed)
    {
        parent::__construct(new ConnectionSettings($borrowed->endpoint(), readTimeout: self::NO_LIMIT));
    }

    public function server(): ?string
    {
        $client = $this->borrowed->ifThere();
        if ($client !== $this->named) {
            $this->named = $client;
            $this->server = null;
        }

        return $this->server = $client === null ? null : $this->serverOf($client, $this->server);
    }

    protected function open(string $early = ''): void
    {
        try {
            parent::open($early);
        } catch (StoreUnavailable|StoreFailed $none) {
            throw $none instanceof StoreFailed && $none->isBusy
                ? $none
                : StoreUnavailable::because('redis', $none->what, 'Can the application use its client?', $none);
        }
    }

    /**
     * Asks the client, which connects if it is not connected.
     *
     * @return string the number of the database; empty for the first, or the only one
     * @throws StoreFailed if the client cannot be used now
     */
    abstract public function database(): string;

    /**
     * @param string|null $known earlier result for the same client
     * @return string|null as server()
     */
    abstract protected function serverOf(object $client, ?string $known): ?string;

    protected function checkClient(): void {}

    /** If this fails, the application may have another client by now. */
    protected function connect(bool $persistent, string $early): void
    {
        try {
            $this->greet();
        } catch (RedisException|PredisException|\TypeError $lost) {
            if (!$this->borrowed->renew()) {
                throw $lost;
            }
            $this->greet();
        }
        $this->greeted = $this->borrowed->get();
    }

    /**
     * True if the client may connect at its first method call, and throw its framework's exceptions, like proxies of
     * phpredis do.
     */
    final protected function isLazy(object $client): bool
    {
        return $client !== $this->greeted && !(new \ReflectionClass($client))->isInternal();
    }

    /**
     * Must be the first method call on a client.
     *
     * @param Redis|RedisCluster $client or an object with the same methods
     * @throws StoreFailed if a lazy one cannot connect
     */
    final protected function modeOf(object $client): mixed
    {
        try {
            return $client->getMode();
        } catch (\Exception $error) {
            throw !$error instanceof RedisException && $this->isLazy($client) ? StoreFailed::because(
                'redis',
                \sprintf('the application\'s client cannot connect (%s)', $error->getMessage()),
                $error,
            ) : $error;
        }
    }

    /**
     * @throws StoreFailed for a client that does not know that it is in a transaction
     * @throws RedisException|PredisException|\TypeError
     */
    protected function greet(): void
    {
        $word = bin2hex(random_bytes(8));

        try {
            $answer = $this->send('PING', $word);
        } catch (RedisException|PredisException $error) {
            // A server that cannot write its snapshots refuses PING, but still answers reads.
            $answer = str_starts_with($error->getMessage(), 'MISCONF ') ? $this->send('ECHO', $word) : throw $error;
        }
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

    /**
     * This is not a failure of the connection. For one, the application would be asked for another client, and the
     * command would run outside of its transaction.
     */
    final protected function queued(): StoreFailed
    {
        return StoreFailed::because(
            'redis',
            'the server has queued a command of the cache in a transaction of the application: do not use both at once',
        );
    }

    protected function disconnect(): void {}

    /** One after the other: a pipeline would affect the application's client. */
    protected function sendAll(array $commands): array
    {
        return array_map(fn(array $words): mixed => $this->send(...$words), $commands);
    }

    protected function writeMany(array $values, int $milliseconds): bool
    {
        return $this->hasSlots()
            ? parent::writeMany($values, $milliseconds)
            : $this->send(
                'EVAL',
                self::WRITE,
                (string) \count($values),
                ...array_keys($values),
                ...[(string) $milliseconds],
                ...array_values($values),
            ) === 1;
    }
}

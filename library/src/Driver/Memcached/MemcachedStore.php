<?php

declare(strict_types=1);

namespace Larder\Driver\Memcached;

use Larder\Codec\Codec;
use Larder\Codec\PhpCodec;
use Larder\Exception\StoreFailed;
use Larder\Exception\StoreUnavailable;
use Larder\Process\Pid;
use Larder\Server\ConnectionSettings;
use Memcached;

/** A memcached server to which the extension memcached (libmemcached) writes. */
final class MemcachedStore extends MemcachedProtocol
{
    private Memcached $client;

    /** @var list<Memcached> of the process this one was forked from: freeing them would end its connections */
    private array $inherited = [];

    /** The process that made the client. */
    private int $maker = 0;

    /** How often the reader had connected when the client last wrote. */
    private int $connects = 0;

    /** @throws StoreUnavailable when the extension is missing */
    public function __construct(
        ConnectionSettings $settings,
        string $namespace = 'larder',
        Codec $codec = new PhpCodec(),
    ) {
        parent::__construct($settings, $namespace, $codec);
        StoreUnavailable::unlessLoaded('memcached', 'memcached', 'memcached');
    }

    protected function scheme(): string
    {
        return 'memcached';
    }

    protected function connect(bool $persistent): void
    {
        if ($this->maker !== 0 && $this->maker !== Pid::own()) {
            $this->inherited = [...$this->inherited, $this->client];
        }
        $this->maker = Pid::own();
        $this->connects = 0;
        $settings = $this->settings;
        $this->client = new Memcached($persistent ? \sprintf('larder:%s:%s:%s', $settings->endpoint, $settings->connectTimeout, $settings->readTimeout) : '');
        if ($this->client->getServerList() === []) {
            $milliseconds = (int) ceil(1000 * $settings->readTimeout);
            $this->client->setOptions([
                Memcached::OPT_COMPRESSION => false,
                Memcached::OPT_TCP_NODELAY => true,
                Memcached::OPT_CONNECT_TIMEOUT => (int) ceil(1000 * $settings->connectTimeout),
                Memcached::OPT_POLL_TIMEOUT => $milliseconds,
                Memcached::OPT_SEND_TIMEOUT => 1000 * $milliseconds,
                Memcached::OPT_RECV_TIMEOUT => 1000 * $milliseconds,
            ]);
            $this->client->addServer($settings->endpoint->socket ?? $settings->endpoint->host, $settings->endpoint->port);
        }
    }

    protected function write(string $name, string $bytes, int $expiry): bool
    {
        $isDone = $this->client()->set($name, $bytes, $expiry);
        if (!$isDone) {
            $this->checkAnswer('set');
        }

        return $isDone;
    }

    protected function writeNew(string $name, string $bytes, int $expiry): ?bool
    {
        if ($this->client()->add($name, $bytes, $expiry)) {
            return true;
        }
        $this->checkAnswer('add');

        return $this->client->getResultCode() === Memcached::RES_NOTSTORED ? false : null;
    }

    protected function remove(string $name): void
    {
        if (!$this->client()->delete($name)) {
            $this->checkAnswer('delete');
        }
    }

    /** The client; with a new connection if the reader has needed one, since its own is as old. */
    private function client(): Memcached
    {
        $connects = $this->text instanceof MemcachedText ? $this->text->connection->connects : 0;
        if ($connects !== $this->connects) {
            if ($this->connects !== 0) {
                $this->disconnect();
                $this->connect($this->isPersistent());
            }
            $this->connects = $connects;
        }

        return $this->client;
    }

    private function disconnect(): void
    {
        $this->client->quit();
        // The client remembers that the server failed, and would not ask it again for a while.
        $this->client->resetServerList();
    }

    private function checkAnswer(string $command): void
    {
        $code = $this->client->getResultCode();
        $isAnswer = match ($code) {
            Memcached::RES_SUCCESS, Memcached::RES_NOTFOUND, Memcached::RES_NOTSTORED, Memcached::RES_DATA_EXISTS,
            Memcached::RES_E2BIG, Memcached::RES_SERVER_MEMORY_ALLOCATION_FAILURE => true,
            default => false,
        };
        if (!$isAnswer) {
            throw $this->failed($command, $code);
        }
    }

    /** Closes the connection, as a late reply must not answer the next request. */
    private function failed(string $command, int $code): StoreFailed
    {
        // The reason of the system stands in parentheses: "(0x5560…) CONNECTION FAILURE(Connection refused), host: …"
        $reason = preg_match('/\w\(([^()]+)\),/', $this->client->getLastErrorMessage(), $match) === 1
            ? $match[1]
            : strtolower($this->client->getResultMessage());
        $this->disconnect();
        $this->startOver();

        return StoreFailed::because('memcached', match ($code) {
            Memcached::RES_TIMEOUT => \sprintf('no reply from %s to %s within %s s (is it overloaded, or timeout= too short?)', $this->settings->endpoint, $command, $this->settings->readTimeout),
            Memcached::RES_CONNECTION_FAILURE, Memcached::RES_CONNECTION_SOCKET_CREATE_FAILURE, Memcached::RES_HOST_LOOKUP_FAILURE,
            Memcached::RES_ERRNO, Memcached::RES_SERVER_MARKED_DEAD, Memcached::RES_SERVER_TEMPORARILY_DISABLED => \sprintf('cannot connect to %s: %s', $this->settings->endpoint, $reason),
            default => \sprintf('%s failed at %s: %s', $command, $this->settings->endpoint, $reason),
        });
    }
}

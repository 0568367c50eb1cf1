<?php

declare(strict_types=1);

namespace Larder\Store;

use Larder\Exception\StoreFailed;
use Larder\Pid;
use Memcached;

/** A memcached server by the extension memcached (libmemcached). */
final class MemcachedStore extends MemcachedProtocol
{
    private Memcached $client;

    /** @var list<Memcached> of the process this one was forked from: freeing them would end its connections */
    private array $inherited = [];

    /** The process that made the client. */
    private int $maker = 0;

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
        $this->client = new Memcached($persistent ? \sprintf('larder:%s:%s', $this->endpoint, $this->timeout) : '');
        if ($this->client->getServerList() === []) {
            $milliseconds = (int) ceil(1000 * $this->timeout);
            $this->client->setOptions([
                Memcached::OPT_COMPRESSION => false,
                Memcached::OPT_TCP_NODELAY => true,
                Memcached::OPT_CONNECT_TIMEOUT => $milliseconds,
                Memcached::OPT_POLL_TIMEOUT => $milliseconds,
                Memcached::OPT_SEND_TIMEOUT => 1000 * $milliseconds,
                Memcached::OPT_RECV_TIMEOUT => 1000 * $milliseconds,
            ]);
            $this->client->addServer($this->endpoint->socket ?? $this->endpoint->host, $this->endpoint->port);
        }
    }

    protected function disconnect(): void
    {
        $this->client->quit();
        // The client remembers that the server failed, and would not ask it again for a while.
        $this->client->resetServerList();
    }

    protected function ask(): void
    {
        $this->client->getVersion();
        $this->checkAnswer();
    }

    protected function read(string $name): ?string
    {
        $bytes = $this->client->get($name);
        if ($bytes === false) {
            $this->checkAnswer();
        }

        return \is_string($bytes) ? $bytes : null;
    }

    protected function readMany(array $names): array
    {
        /** @var array<string, string>|false $found */
        $found = $this->client->getMulti($names);
        $this->checkAnswer();

        return $found === false ? [] : $found;
    }

    protected function write(string $name, string $bytes, int $expiry): bool
    {
        $isDone = $this->client->set($name, $bytes, $expiry);
        if (!$isDone) {
            $this->checkAnswer();
        }

        return $isDone;
    }

    protected function writeNew(string $name, string $bytes, int $expiry): ?bool
    {
        return $this->client->add($name, $bytes, $expiry) ? true : $this->wasOther();
    }

    protected function readToSwap(string $name): ?array
    {
        /** @var array{value: mixed, cas: int|float}|false $found */
        $found = $this->client->get($name, null, Memcached::GET_EXTENDED);
        if ($found === false) {
            $this->checkAnswer();
        }

        return $found !== false && \is_string($found['value']) ? [$found['value'], $found['cas']] : null;
    }

    protected function writeSwapped(string $name, int|float $unchanged, string $bytes, int $expiry): ?bool
    {
        return $this->client->cas($unchanged, $name, $bytes, $expiry) ? true : $this->wasOther();
    }

    protected function remove(string $name): void
    {
        if (!$this->client->delete($name)) {
            $this->checkAnswer();
        }
    }

    /**
     * @return false|null false when the last write failed because another process was first
     * @throws StoreFailed
     */
    private function wasOther(): ?false
    {
        $this->checkAnswer();
        $others = [Memcached::RES_NOTSTORED, Memcached::RES_DATA_EXISTS, Memcached::RES_NOTFOUND];

        return \in_array($this->client->getResultCode(), $others, true) ? false : null;
    }

    /** @throws StoreFailed */
    private function checkAnswer(): void
    {
        if (!self::isAnswer($this->client->getResultCode())) {
            throw $this->failed($this->client->getResultMessage());
        }
    }

    /** Whether a server says so that is there and works. Not a constant: those are looked up where the extension is missing too. */
    private static function isAnswer(int $code): bool
    {
        return match ($code) {
            Memcached::RES_SUCCESS, Memcached::RES_NOTFOUND, Memcached::RES_NOTSTORED, Memcached::RES_DATA_EXISTS,
            Memcached::RES_E2BIG, Memcached::RES_SERVER_MEMORY_ALLOCATION_FAILURE, Memcached::RES_END => true,
            default => false,
        };
    }
}

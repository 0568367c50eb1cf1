<?php

declare(strict_types=1);

namespace Larder\Store;

use Larder\Exception\StoreUnavailable;
use Memcached;

/** A memcached server by the extension memcached (libmemcached). After a failure it tries the server again in a second. */
final class MemcachedStore extends MemcachedProtocol
{
    private Memcached $client;

    /** @var list<Memcached> of the process this one was forked from: freeing them would end its connections */
    private array $inherited = [];

    protected function connect(): void
    {
        StoreUnavailable::unlessLoaded('memcached', 'memcached', 'memcached');
        if (isset($this->client)) {
            $this->inherited[] = $this->client;
        }
        // In a fork no persistent connection: it would be the parent's.
        $this->client = new Memcached($this->persistent && $this->inherited === [] ? \sprintf('larder:%s:%s', $this->endpoint, $this->timeout) : '');
        if ($this->client->getServerList() === []) {
            $milliseconds = (int) ceil(1000 * $this->timeout);
            $this->client->setOptions([
                Memcached::OPT_COMPRESSION => false,
                Memcached::OPT_TCP_NODELAY => true,
                Memcached::OPT_RETRY_TIMEOUT => 1,
                Memcached::OPT_CONNECT_TIMEOUT => $milliseconds,
                Memcached::OPT_POLL_TIMEOUT => $milliseconds,
                Memcached::OPT_SEND_TIMEOUT => 1000 * $milliseconds,
                Memcached::OPT_RECV_TIMEOUT => 1000 * $milliseconds,
            ]);
            $this->client->addServer($this->endpoint->socket ?? $this->endpoint->host, $this->endpoint->port);
        }
        $this->client->getVersion();
        if ($this->client->getResultCode() !== Memcached::RES_SUCCESS) {
            throw StoreUnavailable::because(
                'memcached',
                \sprintf('no answer from %s (%s)', $this->endpoint, $this->client->getResultMessage()),
                'Is memcached running there? To have it: apt-get install memcached',
            );
        }
    }

    protected function read(string $name): ?string
    {
        $bytes = $this->client->get($name);

        return \is_string($bytes) ? $bytes : null;
    }

    protected function readMany(array $names): array
    {
        /** @var array<string, string>|false $found */
        $found = $this->client->getMulti($names);

        return $found === false ? [] : $found;
    }

    protected function write(string $name, string $bytes, int $expiry): bool
    {
        return $this->client->set($name, $bytes, $expiry);
    }

    protected function writeNew(string $name, string $bytes, int $expiry): ?bool
    {
        return $this->client->add($name, $bytes, $expiry) ? true : $this->wasOther();
    }

    protected function readToSwap(string $name): ?array
    {
        /** @var array{value: mixed, cas: int|float}|false $found */
        $found = $this->client->get($name, null, Memcached::GET_EXTENDED);

        return $found !== false && \is_string($found['value']) ? [$found['value'], $found['cas']] : null;
    }

    protected function writeSwapped(string $name, int|float $unchanged, string $bytes, int $expiry): ?bool
    {
        return $this->client->cas($unchanged, $name, $bytes, $expiry) ? true : $this->wasOther();
    }

    protected function remove(string $name): bool
    {
        return $this->client->delete($name) || $this->client->getResultCode() === Memcached::RES_NOTFOUND;
    }

    /** @return false|null false when the last write failed because another process was first */
    private function wasOther(): ?false
    {
        $others = [Memcached::RES_NOTSTORED, Memcached::RES_DATA_EXISTS, Memcached::RES_NOTFOUND];

        return \in_array($this->client->getResultCode(), $others, true) ? false : null;
    }
}

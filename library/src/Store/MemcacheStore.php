<?php

declare(strict_types=1);

namespace Larder\Store;

use Larder\Exception\StoreUnavailable;
use Memcache;

/** A memcached server by the extension memcache. After a failure it tries the server again in a second. */
final class MemcacheStore extends MemcachedProtocol
{
    private const RETRY_SECONDS = 1;
    /** Bytes; a server may be set to take larger ones (-I), and not smaller than 1 KB. */
    private const SURELY_TAKEN = 900_000;

    private Memcache $client;

    protected function connect(): void
    {
        StoreUnavailable::unlessLoaded('memcache', 'memcache', 'memcache');
        $this->client = new Memcache();
        $host = $this->endpoint->socket === null ? $this->endpoint->host : 'unix://' . $this->endpoint->socket;
        // It makes a property of its own, which PHP deprecates.
        @$this->client->addServer($host, $this->endpoint->port, $this->persistent, 1, max(1, (int) ceil($this->timeout)), self::RETRY_SECONDS);
        $this->client->setCompressThreshold(\PHP_INT_MAX);
        if (!$this->answers()) {
            throw StoreUnavailable::because(
                'memcache',
                \sprintf('no answer from %s', $this->endpoint),
                'Is memcached running there? To have it: apt-get install memcached',
            );
        }
    }

    protected function read(string $name): ?string
    {
        $bytes = @$this->client->get($name);

        return \is_string($bytes) ? $bytes : null;
    }

    protected function readMany(array $names): array
    {
        /** @var array<string, string>|false $found */
        $found = @$this->client->get($names);

        return $found === false ? [] : $found;
    }

    protected function write(string $name, string $bytes, int $expiry): bool
    {
        return @$this->client->set($name, $bytes, 0, $expiry);
    }

    protected function writeNew(string $name, string $bytes, int $expiry): ?bool
    {
        return @$this->client->add($name, $bytes, 0, $expiry) ? true : $this->wasOther($bytes);
    }

    /** By reflection: the parameters have not always been there, and analysers do not know them. */
    protected function readToSwap(string $name): ?array
    {
        $flags = 0;
        $number = 0;
        $bytes = @(new \ReflectionMethod($this->client, 'get'))->invokeArgs($this->client, [$name, &$flags, &$number]);

        return \is_string($bytes) ? [$bytes, $number] : null;
    }

    protected function writeSwapped(string $name, int|float $unchanged, string $bytes, int $expiry): ?bool
    {
        $cas = new \ReflectionMethod($this->client, 'cas');

        return @$cas->invoke($this->client, $name, $bytes, 0, $expiry, $unchanged) === true ? true : $this->wasOther($bytes);
    }

    protected function remove(string $name): bool
    {
        return @$this->client->delete($name) || $this->answers();
    }

    /** @return false|null null when the server does not answer, or the value is too large; the client does not tell */
    private function wasOther(string $bytes): ?false
    {
        return \strlen($bytes) <= self::SURELY_TAKEN && $this->answers() ? false : null;
    }

    private function answers(): bool
    {
        return (bool) @$this->client->getVersion();
    }
}

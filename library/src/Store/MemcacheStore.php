<?php

declare(strict_types=1);

namespace Larder\Store;

use Larder\Exception\StoreFailed;
use Memcache;

/** A memcached server by the extension memcache. It counts its timeout in whole seconds. */
final class MemcacheStore extends MemcachedProtocol
{
    /** Seconds that the client leaves a server alone which failed. */
    private const RETRY_AT_ONCE = 0;
    /** Bytes; a server may be set to take larger ones (-I), and not smaller than 1 KB. */
    private const SURELY_TAKEN = 900_000;

    private Memcache $client;

    /** What the client has told about the last command. */
    private ?string $failure = null;

    protected function scheme(): string
    {
        return 'memcache';
    }

    protected function connect(bool $persistent): void
    {
        $this->client = new Memcache();
        $host = $this->endpoint->socket === null ? $this->endpoint->host : 'unix://' . $this->endpoint->socket;
        // It makes properties of its own, which PHP deprecates.
        @$this->client->addServer($host, $this->endpoint->port, $persistent, 1, max(1, (int) ceil($this->timeout)), self::RETRY_AT_ONCE);
        $this->client->setCompressThreshold(\PHP_INT_MAX);
        @$this->client->setFailureCallback(function (string $host, int $port, int $udp, ?string $why): void {
            $this->failure = $why ?? 'no reason told';
        });
    }

    /** A new client would be given the persistent connection again; this one has closed what failed. */
    protected function disconnect(): void
    {
        @$this->client->close();
    }

    protected function ask(): void
    {
        $this->command(fn(): mixed => $this->client->getVersion());
    }

    protected function read(string $name): ?string
    {
        $bytes = $this->command(fn(): mixed => $this->client->get($name));

        return \is_string($bytes) ? $bytes : null;
    }

    protected function readMany(array $names): array
    {
        /** @var array<string, string>|false $found */
        $found = $this->command(fn(): mixed => $this->client->get($names));

        return $found === false ? [] : $found;
    }

    protected function write(string $name, string $bytes, int $expiry): bool
    {
        return $this->command(fn(): bool => $this->client->set($name, $bytes, 0, $expiry)) === true;
    }

    protected function writeNew(string $name, string $bytes, int $expiry): ?bool
    {
        return $this->command(fn(): bool => $this->client->add($name, $bytes, 0, $expiry)) === true ? true : self::wasOther($bytes);
    }

    /** By reflection: the parameters have not always been there, and analysers do not know them. */
    protected function readToSwap(string $name): ?array
    {
        $flags = 0;
        $number = 0;
        $get = new \ReflectionMethod($this->client, 'get');
        $bytes = $this->command(function () use ($get, $name, &$flags, &$number): mixed {
            return $get->invokeArgs($this->client, [$name, &$flags, &$number]);
        });

        return \is_string($bytes) ? [$bytes, $number] : null;
    }

    protected function writeSwapped(string $name, int|float $unchanged, string $bytes, int $expiry): ?bool
    {
        $cas = new \ReflectionMethod($this->client, 'cas');

        return $this->command(fn(): mixed => $cas->invoke($this->client, $name, $bytes, 0, $expiry, $unchanged)) === true ? true : self::wasOther($bytes);
    }

    protected function remove(string $name): void
    {
        $this->command(fn(): bool => $this->client->delete($name));
    }

    /** @return false|null null when the value may be too large; the client does not tell */
    private static function wasOther(string $bytes): ?false
    {
        return \strlen($bytes) <= self::SURELY_TAKEN ? false : null;
    }

    /**
     * The client answers failures as it answers misses, and tells them by a callback besides.
     *
     * @template T
     * @param \Closure(): T $command
     * @return T
     * @throws StoreFailed
     */
    private function command(\Closure $command): mixed
    {
        $this->failure = null;
        $answer = @$command();
        if ($this->failure !== null) {
            throw $this->failed($this->failure);
        }

        return $answer;
    }
}

<?php

declare(strict_types=1);

namespace Larder\Driver\Memcached\Held;

use Larder\Codec\Codec;
use Larder\Codec\PhpCodec;
use Larder\Contract\NamesServer;
use Larder\Driver\HeldClient;
use Larder\Driver\Memcached\MemcachedProtocol;
use Larder\Server\ConnectionSettings;

/** memcached servers by an object of the extension memcached that the application holds. Its prefix stands before every name. */
final class HeldMemcachedStore extends MemcachedProtocol implements NamesServer
{
    private readonly HeldMemcachedItems $held;

    public function __construct(HeldClient $client, string $namespace = 'larder', Codec $codec = new PhpCodec())
    {
        $this->held = new HeldMemcachedItems($client);
        parent::__construct(new ConnectionSettings($client->endpoint()), $namespace, $codec);
    }

    public function server(): ?string
    {
        return $this->held->server();
    }

    protected function scheme(): string
    {
        return 'memcached';
    }

    protected function items(bool $persistent): HeldMemcachedItems
    {
        return $this->held;
    }

    protected function nameLimit(): int
    {
        return self::NAME_LIMIT - \strlen($this->held->prefix());
    }

    protected function write(string $name, string $bytes, int $expiry): bool
    {
        return $this->held->set($name, $bytes, $expiry);
    }

    protected function writeNew(string $name, string $bytes, int $expiry): ?bool
    {
        return $this->held->add($name, $bytes, $expiry);
    }

    protected function remove(string $name): void
    {
        $this->held->delete($name);
    }
}

<?php

declare(strict_types=1);

namespace Larder\Decorator\Tier;

use Larder\Contract\AtomicStore;
use Larder\Contract\Capability;
use Larder\Contract\Decorator;
use Larder\Contract\ExpiryAwareStore;
use Larder\Contract\NamesServer;
use Larder\Contract\ReportsOutages;
use Larder\Contract\ResettableStore;
use Larder\Contract\Store;
use Larder\Decorator\TransparentDecorator;
use Larder\Exception\NotSupported;
use Larder\Key\ReservedKey;

/**
 * A local tier before a store over a client of the application. The names of the copies contain the server that the client
 * leads to, so that two servers never mix. While that is not known, before the first use, the shared tier is asked first;
 * when the application has another client later, that one's server counts.
 */
final class ClientTier extends TransparentDecorator implements ReportsOutages, ResettableStore
{
    private ?string $server = null;
    private ?TierStore $tier = null;
    private readonly NamesServer $client;

    /**
     * @param string $name of the shared tier, such as "redis"
     * @param string $identity of the entries on a server, such as their namespace
     * @param float $localTtl seconds, as those of TierStore
     * @param float $pollSeconds seconds, likewise
     * @throws NotSupported if a tier cannot be one
     */
    public function __construct(private readonly Store $local, private readonly Store $shared, private readonly string $name, private readonly string $identity, private readonly float $localTtl, private readonly float $pollSeconds)
    {
        Capability::of($local, AtomicStore::class);
        Capability::of(Capability::of($shared, ExpiryAwareStore::class), AtomicStore::class);
        $store = $shared;
        while ($store instanceof Decorator) {
            $store = $store->decorated();
        }
        $this->client = $store instanceof NamesServer ? $store : throw new NotSupported(\sprintf('%s does not tell which server it is on', $store::class));
    }

    public function decorated(): Store
    {
        return $this->known() ?? $this->shared;
    }

    public function secondsToProbe(string $key): float
    {
        return $this->shared instanceof ReportsOutages ? $this->shared->secondsToProbe($key) : 0.0;
    }

    public function get(string $key, mixed $default = null): mixed
    {
        return $this->store()->get($key, $default);
    }

    public function getMany(array $keys, mixed $default = null): array
    {
        return $this->store()->getMany($keys, $default);
    }

    public function has(string $key): bool
    {
        return $this->store()->has($key);
    }

    public function set(string $key, mixed $value, int|float $ttl = 0): bool
    {
        return $this->store()->set($key, $value, $ttl);
    }

    public function setMany(array $values, int|float $ttl = 0): bool
    {
        return $this->store()->setMany($values, $ttl);
    }

    public function delete(string $key): bool
    {
        return $this->store()->delete($key);
    }

    public function deleteMany(array $keys): bool
    {
        return $this->store()->deleteMany($keys);
    }

    public function clear(): bool
    {
        return $this->store()->clear();
    }

    public function reset(): void
    {
        $this->known()?->reset();
    }

    /** As that of TierStore. */
    public function explanation(): string
    {
        return $this->known()?->explanation($this->name) ?? 'copies are made once the client has been used: it tells then which server it leads to';
    }

    public function keys(): iterable
    {
        $this->store();

        return parent::keys();
    }

    protected function forward(string $interface, string $key, \Closure $work, mixed $refused): mixed
    {
        $this->store();

        return parent::forward($interface, $key, $work, $refused);
    }

    private function store(): Store
    {
        if ($this->known() === null) {
            $this->shared->has(ReservedKey::changes()); // a use of the client
        }

        return $this->decorated();
    }

    private function known(): ?TierStore
    {
        $server = $this->client->server();
        if ($server !== $this->server) {
            $this->server = $server;
            $this->tier = $server === null ? null : new TierStore($this->local, $this->shared, serialize([$this->identity, $server]), $this->localTtl, $this->pollSeconds, $this->client);
        }

        return $this->tier;
    }
}

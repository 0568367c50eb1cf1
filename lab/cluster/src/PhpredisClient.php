<?php

declare(strict_types=1);

namespace Larder\Lab\Failover;

/** phpredis alone. Creates a new client after each exception, as an application's next request would. */
final class PhpredisClient implements Client
{
    private \Redis|\RedisCluster|null $client = null;

    /**
     * @param \Closure(): (\Redis|\RedisCluster) $connect
     * @param string $prefix prefix of the names, which puts them into the same slots as Larder's
     */
    public function __construct(private readonly \Closure $connect, private readonly string $prefix) {}

    public function get(string $key): ?string
    {
        $value = $this->ask(fn(\Redis|\RedisCluster $client): mixed => $client->get($this->prefix . $key));

        return \is_string($value) ? $value : null;
    }

    public function set(string $key, string $value): bool
    {
        return $this->ask(fn(\Redis|\RedisCluster $client): mixed => $client->set($this->prefix . $key, $value)) === true;
    }

    public function increment(string $key): ?int
    {
        $sum = $this->ask(fn(\Redis|\RedisCluster $client): mixed => $client->incr($this->prefix . $key));

        return \is_int($sum) ? $sum : null;
    }

    public function lease(string $key, float $seconds): bool
    {
        return $this->ask(fn(\Redis|\RedisCluster $client): mixed => $client->set($this->prefix . 'lease:' . $key, '1', ['NX', 'PX' => (int) (1000 * $seconds)])) === true;
    }

    /** @param \Closure(\Redis|\RedisCluster): mixed $work */
    private function ask(\Closure $work): mixed
    {
        try {
            return $work($this->client ??= ($this->connect)());
        } catch (\Throwable $error) {
            $this->client = null;

            throw $error;
        }
    }
}

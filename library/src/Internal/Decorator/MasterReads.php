<?php

declare(strict_types=1);

namespace Larder\Internal\Decorator;

use Larder\Contract\Decorator;
use Larder\Contract\ReadsReplicas;
use Larder\Contract\Store;
use Larder\Decorator\TransparentDecorator;

/** Reads from the masters, in front of a store that reads from replicas: for reads that decide what is written. */
final class MasterReads extends TransparentDecorator
{
    private function __construct(private readonly Store $store, private readonly ReadsReplicas $replicas) {}

    /** @return Store the store itself if it reads from no replicas */
    public static function of(Store $store): Store
    {
        $inner = $store;
        while ($inner instanceof Decorator && !$inner instanceof ReadsReplicas) {
            $inner = $inner->decorated();
        }

        return $inner instanceof ReadsReplicas && $inner->hasStaleReads() ? new self($store, $inner) : $store;
    }

    public function decorated(): Store
    {
        return $this->store;
    }

    public function get(string $key, mixed $default = null): mixed
    {
        return $this->replicas->fromMasters(fn(): mixed => $this->store->get($key, $default));
    }

    public function getMany(array $keys, mixed $default = null): array
    {
        return $this->replicas->fromMasters(fn(): array => $this->store->getMany($keys, $default));
    }

    public function has(string $key): bool
    {
        return $this->replicas->fromMasters(fn(): bool => $this->store->has($key));
    }
}

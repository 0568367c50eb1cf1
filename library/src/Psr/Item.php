<?php

declare(strict_types=1);

namespace Larder\Psr;

use Psr\Cache\CacheItemInterface;
use Psr\Clock\ClockInterface;

/**
 * A key and its value as they were when the pool was asked, or as they shall be saved. Nothing is stored before the pool
 * saves the item; an item that is saved again without a new expiry has the pool's default ttl, one that has expired is deleted.
 */
class Item implements CacheItemInterface
{
    use Expires;

    /** @internal items come from a pool */
    public function __construct(
        private readonly string $key,
        private mixed $value,
        private readonly bool $hit,
        ClockInterface $clock,
    ) {
        $this->clock = $clock;
    }

    public function getKey(): string
    {
        return $this->key;
    }

    /** @return mixed what was found or has been set() since; else null */
    public function get(): mixed
    {
        return $this->value;
    }

    /** Whether the pool had a value when it was asked; set() does not change that. */
    public function isHit(): bool
    {
        return $this->hit;
    }

    public function set(mixed $value): static
    {
        $this->value = $value;

        return $this;
    }

    /**
     * @internal for the pool
     * @return list<string> to store the value with
     */
    public function tags(): array
    {
        return [];
    }

    /** @internal for the pool */
    public function expiry(): ?Expiry
    {
        return $this->expiry;
    }
}

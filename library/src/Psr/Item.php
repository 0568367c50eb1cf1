<?php

declare(strict_types=1);

namespace Larder\Psr;

use Larder\Internal\Process\SystemClock;
use Larder\Internal\Psr\Expiry;
use Psr\Cache\CacheItemInterface;
use Psr\Clock\ClockInterface;

/**
 * A key and its value, as read from the pool or to be saved. Nothing is stored before the pool saves the item. An item
 * that is saved again without a new expiry gets the pool's default ttl; an expired one is deleted.
 */
class Item implements CacheItemInterface
{
    private ?Expiry $expiry = null;

    /**
     * @internal items come from a pool
     * @param ClockInterface|null $clock null for the machine's
     */
    public function __construct(
        private readonly string $key,
        private mixed $value,
        private readonly bool $hit,
        private readonly ?ClockInterface $clock,
    ) {}

    public function getKey(): string
    {
        return $this->key;
    }

    /** @return mixed the value that was found or set() since; else null */
    public function get(): mixed
    {
        return $this->value;
    }

    /** True if the pool had a value; set() does not change that. */
    public function isHit(): bool
    {
        return $this->hit;
    }

    public function set(mixed $value): static
    {
        $this->value = $value;

        return $this;
    }

    /** @param \DateTimeInterface|null $expiration null for no expiry; with a moment in the past nothing is stored */
    public function expiresAt(?\DateTimeInterface $expiration): static
    {
        $this->expiry = $expiration === null ? null : Expiry::at($expiration, $this->clock ?? new SystemClock());

        return $this;
    }

    /** @param int|\DateInterval|null $time from now, seconds or an interval; null for no expiry */
    public function expiresAfter(int|\DateInterval|null $time): static
    {
        $this->expiry = $time === null ? null : Expiry::after($time, $this->clock ?? new SystemClock());

        return $this;
    }

    /**
     * @internal for the pool
     * @return list<string>
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

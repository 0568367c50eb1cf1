<?php

declare(strict_types=1);

namespace Larder\Psr;

use Psr\Cache\CacheItemInterface;
use Psr\Clock\ClockInterface;

/**
 * A key and its value as they were when the pool was asked, or as they shall be saved. Nothing is stored before the pool
 * saves the item; an item that is saved again without a new expiry does not expire.
 */
final class Item implements CacheItemInterface
{
    private ?Expiry $expiry = null;

    /** @internal items come from a pool */
    public function __construct(
        private readonly string $key,
        private mixed $value,
        private readonly bool $hit,
        private readonly ClockInterface $clock,
    ) {}

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

    /** @param \DateTimeInterface|null $expiration a moment that is over makes save() delete; null for no expiry */
    public function expiresAt(?\DateTimeInterface $expiration): static
    {
        $this->expiry = $expiration === null ? null : Expiry::at($expiration, $this->clock);

        return $this;
    }

    /** @param int|\DateInterval|null $time from this call on, seconds or an interval; 0 or less makes save() delete; null for no expiry */
    public function expiresAfter(int|\DateInterval|null $time): static
    {
        $this->expiry = $time === null ? null : Expiry::after($time, $this->clock);

        return $this;
    }

    /** @internal for the pool */
    public function expiry(): ?Expiry
    {
        return $this->expiry;
    }
}

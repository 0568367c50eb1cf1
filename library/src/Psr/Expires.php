<?php

declare(strict_types=1);

namespace Larder\Psr;

use Psr\Clock\ClockInterface;

/**
 * When an item of a pool is no more, as PSR-6 lets its user say it.
 *
 * @internal
 */
trait Expires
{
    private readonly ClockInterface $clock;
    private ?Expiry $expiry = null;

    /** @param \DateTimeInterface|null $expiration null for no expiry; of a moment that is over nothing is stored */
    public function expiresAt(?\DateTimeInterface $expiration): static
    {
        $this->expiry = $expiration === null ? null : Expiry::at($expiration, $this->clock);

        return $this;
    }

    /** @param int|\DateInterval|null $time from this call on, seconds or an interval; null for no expiry */
    public function expiresAfter(int|\DateInterval|null $time): static
    {
        $this->expiry = $time === null ? null : Expiry::after($time, $this->clock);

        return $this;
    }
}

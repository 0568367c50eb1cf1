<?php

declare(strict_types=1);

namespace Larder\Remember;

use Larder\Contract\Store;

/**
 * What a store cannot do in one step, in two: it looks, and then stores. Who writes just between the two is written over.
 */
final class InTwoSteps
{
    /** Yac gives a miss now and then of what is there. */
    private const LOOKS = 3;
    /** Microseconds. */
    private const PAUSE = 500;

    public function __construct(private readonly Store $store) {}

    public function add(string $key, mixed $value, int|float $ttl = 0): bool
    {
        return $this->store->get($key, $this) === $this && $this->store->set($key, $value, $ttl);
    }

    /** @param \Closure(mixed): bool $isExpected */
    public function setIf(string $key, \Closure $isExpected, mixed $value, int|float $ttl = 0): bool
    {
        $there = $this->store->get($key, $this);
        for ($look = 1; $there === $this && $look < self::LOOKS; ++$look) {
            usleep(self::PAUSE);
            $there = $this->store->get($key, $this);
        }

        return $there !== $this && $isExpected($there) && $this->store->set($key, $value, $ttl);
    }
}

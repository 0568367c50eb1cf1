<?php

declare(strict_types=1);

namespace Larder\Internal\Remember;

use Larder\Contract\Capability;
use Larder\Contract\LockingStore;
use Larder\Contract\Store;
use Larder\Internal\Key\ReservedKey;
use Larder\Internal\Process\Functions;

/**
 * Compares and sets in two steps, under a lock. A process that writes without the lock between the two is overwritten.
 */
final class NonAtomicFallback
{
    /** Yac sometimes misses a value that is there. */
    private const LOOKS = 3;
    /** Microseconds. */
    private const PAUSE = 500;
    /** Tries to acquire the lock, and seconds that it lasts if nobody releases it. */
    private const TRIES = 100;
    private const SECONDS = 1.0;

    public function __construct(private readonly Store $store) {}

    public function add(string $key, mixed $value, int|float $ttl = 0): bool
    {
        return $this->locked($key, fn(): bool => $this->store->get($key, $this) === $this
            && $this->store->set($key, $value, $ttl));
    }

    /** @param \Closure(mixed): bool $isExpected */
    public function setIf(string $key, \Closure $isExpected, mixed $value, int|float $ttl = 0): bool
    {
        return $this->locked($key, function () use ($key, $isExpected, $value, $ttl): bool {
            $there = $this->store->get($key, $this);
            for ($look = 1; $there === $this && $look < self::LOOKS; ++$look) {
                Functions::sleep(self::PAUSE);
                $there = $this->store->get($key, $this);
            }

            return $there !== $this && $isExpected($there) && $this->store->set($key, $value, $ttl);
        });
    }

    /** @param \Closure(): bool $steps */
    private function locked(string $key, \Closure $steps): bool
    {
        $locks = Capability::of($this->store, LockingStore::class);
        $name = ReservedKey::lease($key);
        $token = null;
        for ($try = 0; !\is_string($token) && $try < self::TRIES; ++$try) {
            $token = $locks->acquire($name, self::SECONDS);
            if ($token === null) {
                Functions::sleep(random_int(1, self::PAUSE));
            }
        }
        if (!\is_string($token)) {
            return false;
        }

        try {
            return $steps();
        } finally {
            $locks->release($name, $token);
        }
    }
}

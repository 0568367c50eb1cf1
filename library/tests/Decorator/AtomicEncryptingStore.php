<?php

declare(strict_types=1);

namespace Larder\Tests\Decorator;

use Larder\Contract\AtomicStore;
use Larder\Contract\Capability;
use Larder\Contract\Entry;
use Larder\Contract\ExpiryAwareStore;

/**
 * Implements the operations with values, using those of the store behind it. A change of a counter drops its expiry.
 */
final class AtomicEncryptingStore extends EncryptingStore implements AtomicStore, ExpiryAwareStore
{
    public function add(string $key, mixed $value, int|float $ttl = 0): bool
    {
        return $this->atomic()->add($key, $this->encrypted($value), $ttl);
    }

    public function replace(string $key, mixed $value, int|float $ttl = 0): bool
    {
        return $this->atomic()->replace($key, $this->encrypted($value), $ttl);
    }

    public function increment(string $key, int $step = 1, int $first = 0, int|float $ttl = 0): int|false
    {
        do {
            $old = $this->get($key, $this);
            $sum = $old === $this ? $first + $step : (\is_int($old) ? $old + $step : null);
            if (!\is_int($sum)) {
                return false;
            }
        } while (!($old === $this ? $this->add($key, $sum, $ttl) : \is_int($old) && $this->swap($key, $old, $sum)));

        return $sum;
    }

    public function touch(string $key, int|float $ttl): bool
    {
        return $this->atomic()->touch($key, $ttl);
    }

    public function swap(string $key, int $old, int $new): bool
    {
        return $this->setIf($key, static fn(mixed $there): bool => $there === $old, $new);
    }

    public function setIf(string $key, \Closure $isExpected, mixed $value, int|float $ttl = 0): bool
    {
        return $this->atomic()->setIf(
            $key,
            fn(mixed $there): bool => $isExpected($this->decrypted($there)),
            $this->encrypted($value),
            $ttl,
        );
    }

    public function entries(array $keys): array
    {
        return array_map(
            fn(Entry $entry): Entry => new Entry($this->decrypted($entry->stored), $entry->until),
            Capability::of($this->decorated(), ExpiryAwareStore::class)->entries($keys),
        );
    }

    private function atomic(): AtomicStore
    {
        return Capability::of($this->decorated(), AtomicStore::class);
    }
}

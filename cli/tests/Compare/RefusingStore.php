<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Compare;

/** Refuses values longer than a kilobyte. */
final class RefusingStore extends LyingStore
{
    protected function lie(mixed $value): mixed
    {
        return $value;
    }

    public function set(string $key, mixed $value, int|float $ttl = 0): bool
    {
        return (!\is_string($value) || \strlen($value) <= 1024) && parent::set($key, $value, $ttl);
    }
}

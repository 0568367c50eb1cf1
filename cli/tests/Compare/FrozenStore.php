<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Compare;

/** Reports success, but keeps the old value one time in a hundred. */
final class FrozenStore extends LyingStore
{
    protected function lie(mixed $value): mixed
    {
        return $value;
    }

    public function set(string $key, mixed $value, int|float $ttl = 0): bool
    {
        return (++$this->writes % 100 === 99 && $this->has($key)) || parent::set($key, $value, $ttl);
    }
}

<?php

declare(strict_types=1);

/** What the extension yac declares, for static analysis where it is not loaded. */

final class Yac
{
    public function __construct(string $prefix = '') {}

    /** @phpstan-impure */
    public function set(string $key, mixed $value, int $ttl = 0): ?bool {}

    /** @phpstan-impure */
    public function get(string $key): mixed {}

    /** @phpstan-impure */
    public function delete(string $key, int $delay = 0): ?bool {}

    /** @phpstan-impure */
    public function flush(): bool {}

    /** @return array<string, int> */
    public function info(): array {}
}

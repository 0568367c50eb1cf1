<?php

declare(strict_types=1);

namespace Larder\Lab\Failover;

/** An application's calls of servers that change. A failed call returns null or false, or throws. */
interface Client
{
    public function get(string $key): ?string;

    public function set(string $key, string $value): bool;

    /** Adds one. */
    public function increment(string $key): ?int;

    /** Acquires a lease and never releases it. */
    public function lease(string $key, float $seconds): bool;
}

<?php

declare(strict_types=1);

namespace Larder\Lab\Failover;

/** What an application does with its servers while they change. What is not served is null or false, or throws. */
interface Client
{
    public function get(string $key): ?string;

    public function set(string $key, string $value): bool;

    /** By one. */
    public function increment(string $key): ?int;

    /** A lease that nobody releases. */
    public function lease(string $key, float $seconds): bool;
}

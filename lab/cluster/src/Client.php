<?php

declare(strict_types=1);

namespace Larder\Lab\Failover;

/** The calls of an application to its servers while they change. A failure is null or false, or an exception. */
interface Client
{
    public function get(string $key): ?string;

    public function set(string $key, string $value): bool;

    /** By one. */
    public function increment(string $key): ?int;

    /** Acquires a lease and never releases it. */
    public function lease(string $key, float $seconds): bool;
}

<?php

declare(strict_types=1);

namespace Larder\Tests\Driver\Memcached\Held;

/** The same over memcached's binary protocol, which SASL needs. */
final class HeldBinaryMemcachedTest extends HeldMemcachedTest
{
    protected static function isBinary(): bool
    {
        return true;
    }
}

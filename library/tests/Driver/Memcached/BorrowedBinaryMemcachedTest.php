<?php

declare(strict_types=1);

namespace Larder\Tests\Driver\Memcached;

/** The same over memcached's binary protocol, which SASL needs. */
final class BorrowedBinaryMemcachedTest extends BorrowedMemcachedTest
{
    protected static function isBinary(): bool
    {
        return true;
    }
}

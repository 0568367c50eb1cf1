<?php

declare(strict_types=1);

namespace Larder\Tests\Psr;

/** An object that can be serialized, and not unserialized. */
final class NeverRead
{
    public function __wakeup(): void
    {
        throw new \DomainException('not again');
    }
}

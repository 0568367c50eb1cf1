<?php

declare(strict_types=1);

namespace Larder\Tests\Contract;

use Larder\Tests\Driver\DriverTestCase;

/** A test class that replaces one test of its contract by a weaker one: ContractsTest must notice. */
abstract class WeakenedContract extends DriverTestCase
{
    public function testSimpleCacheAcceptsAllowedKey(): void
    {
        self::assertTrue($this->keepsValues());
    }
}

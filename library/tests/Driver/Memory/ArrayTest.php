<?php

declare(strict_types=1);

namespace Larder\Tests\Driver\Memory;

use Larder\Tests\Driver\DriverTestCase;

final class ArrayTest extends DriverTestCase
{
    public static function dsn(string $namespace): string
    {
        return 'array:';
    }

    protected function isShared(): bool
    {
        return false;
    }
}

<?php

declare(strict_types=1);

namespace Larder\Tests\Decorator\Tier;

use Larder\Tests\Servers;
use PHPUnit\Framework\Attributes\Group;

#[Group('waiting')]
final class ArrayRedisTest extends TierTestCase
{
    protected static function tiers(string $namespace): string
    {
        return \sprintf(
            '(array:)(redis://%s?namespace=%s%s)',
            Servers::redis()->socket,
            $namespace,
            Servers::PATIENTLY,
        );
    }

    /** Each process has its own local tier. */
    protected function changeDelay(): float
    {
        return 0.1;
    }

    protected function tooLarge(): string
    {
        return random_bytes(2 << 20);
    }

    protected function isLocal(): bool
    {
        return false;
    }
}

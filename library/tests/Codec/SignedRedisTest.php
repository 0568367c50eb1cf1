<?php

declare(strict_types=1);

namespace Larder\Tests\Codec;

use Larder\Tests\Servers;

final class SignedRedisTest extends SignedStoreTestCase
{
    protected static function dsn(): string
    {
        return 'redis://' . Servers::redis()->socket;
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

<?php

declare(strict_types=1);

namespace Larder\Tests\Codec;

use Larder\Contract\Store;
use Larder\Testing\StoreContract;

final class SignedRedisStoreTest extends StoreContract
{
    protected function open(string $namespace): Store
    {
        return SigningPlace::redis($namespace);
    }

    protected function tooLarge(): string
    {
        return random_bytes(2 << 20);
    }
}

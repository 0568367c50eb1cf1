<?php

declare(strict_types=1);

namespace Larder\Tests\Codec;

use Larder\Contract\Store;
use Larder\Testing\StoreContract;

final class SignedFileStoreTest extends StoreContract
{
    protected function open(string $namespace): Store
    {
        return SigningPlace::file($namespace);
    }
}

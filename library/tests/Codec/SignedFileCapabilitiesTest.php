<?php

declare(strict_types=1);

namespace Larder\Tests\Codec;

use Larder\Contract\Store;
use Larder\Testing\CapabilitiesContract;

final class SignedFileCapabilitiesTest extends CapabilitiesContract
{
    protected function open(string $namespace): Store
    {
        return SigningPlace::file($namespace);
    }

    protected function prunes(): bool
    {
        return true;
    }
}

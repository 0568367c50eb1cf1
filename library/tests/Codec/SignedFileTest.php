<?php

declare(strict_types=1);

namespace Larder\Tests\Codec;

use Larder\Contract\Capability;
use Larder\Tests\Servers;

final class SignedFileTest extends SignedStoreTestCase
{
    protected static function dsn(): string
    {
        return 'file://' . Servers::directory('signed-files');
    }

    protected function capabilities(): array
    {
        return Capability::cases();
    }
}

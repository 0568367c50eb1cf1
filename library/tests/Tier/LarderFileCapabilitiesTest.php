<?php

declare(strict_types=1);

namespace Larder\Tests\Tier;

use Larder\Contract\Store;
use Larder\Testing\CapabilitiesContract;

final class LarderFileCapabilitiesTest extends CapabilitiesContract
{
    protected function open(string $namespace): Store
    {
        return Tiers::LarderFile->open($namespace);
    }

    protected function prunes(): bool
    {
        return true;
    }

    protected function mayHaveDoneWhatItRefused(): bool
    {
        return true;
    }
}

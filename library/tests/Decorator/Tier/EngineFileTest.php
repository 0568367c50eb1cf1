<?php

declare(strict_types=1);

namespace Larder\Tests\Decorator\Tier;

use Larder\Contract\Capability;
use Larder\Tests\Servers;
use PHPUnit\Framework\Attributes\Group;

#[Group('waiting')]
final class EngineFileTest extends TierTestCase
{
    protected static function tiers(string $namespace): string
    {
        return \sprintf('(larder:?namespace=tier)(file://%s?namespace=%s)', Servers::directory('tier'), $namespace);
    }

    protected function capabilities(): array
    {
        return Capability::cases();
    }
}

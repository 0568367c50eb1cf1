<?php

declare(strict_types=1);

namespace Larder\Tests\Decorator\Tier;

use Larder\Contract\Capability;
use Larder\Tests\Servers;
use PHPUnit\Framework\Attributes\Group;

#[Group('waiting')]
final class EngineMemcachedTest extends TierTestCase
{
    protected static function tiers(string $namespace): string
    {
        return \sprintf(
            '(larder:)(memcached://%s?namespace=%s%s)',
            Servers::memcached()->socket,
            $namespace,
            Servers::PATIENTLY,
        );
    }

    protected function capabilities(): array
    {
        return array_values(array_filter(
            Capability::cases(),
            static fn(Capability $capability): bool
                => !\in_array($capability, [Capability::Keys, Capability::Prune], true),
        ));
    }

    /** Memcached's own. */
    protected function clearDelay(): float
    {
        return 0.06;
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

<?php

declare(strict_types=1);

namespace Larder\Tests\Driver\Engine;

use Larder\Tests\Driver\DriverTestCase;

final class NamespacedEngineTest extends DriverTestCase
{
    public static function dsn(string $namespace): string
    {
        return 'larder:?namespace=' . $namespace;
    }

    protected function longestListed(): int
    {
        return 65_522;
    }

    protected function tooLarge(): string
    {
        return random_bytes(20 << 20);
    }

    protected function plantNeighbour(): void
    {
        larder_store('k', 'keep');
    }

    protected function neighbourIsThere(): bool
    {
        return larder_fetch('k') === 'keep';
    }
}

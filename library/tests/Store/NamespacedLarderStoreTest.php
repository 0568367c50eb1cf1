<?php

declare(strict_types=1);

namespace Larder\Tests\Store;

use Larder\Cache;
use Larder\Contract\Store;
use Larder\Testing\StoreContract;

final class NamespacedLarderStoreTest extends StoreContract
{
    protected function open(string $namespace): Store
    {
        return Cache::open('larder:?namespace=' . $namespace)->store();
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

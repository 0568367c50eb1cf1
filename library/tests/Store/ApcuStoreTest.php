<?php

declare(strict_types=1);

namespace Larder\Tests\Store;

use Larder\Cache;
use Larder\Contract\Store;
use Larder\Testing\StoreContract;

final class ApcuStoreTest extends StoreContract
{
    protected function open(string $namespace): Store
    {
        return Cache::open('apcu:?namespace=' . $namespace)->store();
    }

    /** apc.shm_size is 32 MB where nobody has set it. */
    protected function tooLarge(): string
    {
        return random_bytes(40 << 20);
    }

    protected function plantNeighbour(): void
    {
        apcu_store(['contract' => 'keep', 'xcontract:k' => 'keep', 'k' => 'keep']);
    }

    protected function neighbourIsThere(): bool
    {
        return apcu_fetch(['contract', 'xcontract:k', 'k']) === ['contract' => 'keep', 'xcontract:k' => 'keep', 'k' => 'keep'];
    }
}

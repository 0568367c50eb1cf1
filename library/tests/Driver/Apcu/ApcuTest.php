<?php

declare(strict_types=1);

namespace Larder\Tests\Driver\Apcu;

use Larder\Tests\Driver\DriverTestCase;

final class ApcuTest extends DriverTestCase
{
    public static function dsn(string $namespace): string
    {
        return 'apcu:?namespace=' . $namespace;
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

<?php

declare(strict_types=1);

namespace Larder\Tests\Store;

final class MySqlMyIsamStoreTest extends MySqlContract
{
    use CollectsInMySql;

    protected function engine(): string
    {
        return 'myisam';
    }

    protected function tooLarge(): string
    {
        return random_bytes(3 << 20);
    }
}

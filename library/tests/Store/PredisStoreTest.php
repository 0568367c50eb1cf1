<?php

declare(strict_types=1);

namespace Larder\Tests\Store;

final class PredisStoreTest extends RedisContract
{
    protected function client(): string
    {
        return 'predis';
    }
}

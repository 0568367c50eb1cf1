<?php

declare(strict_types=1);

namespace Larder\Tests\Driver\Redis\Topology;

final class ClusterTest extends ClusterTestCase
{
    protected static function client(): string
    {
        return 'phpredis';
    }
}

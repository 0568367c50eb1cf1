<?php

declare(strict_types=1);

namespace Larder\Driver\Redis\Topology;

use Larder\Contract\Store;
use Larder\Driver\Redis\RedisProtocol;

/** One server: its store, and the same behind a breaker, which throws StoreFailed while it is open. */
final class Node
{
    public function __construct(public readonly RedisProtocol $server, public readonly Store $store) {}
}

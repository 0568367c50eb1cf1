<?php

declare(strict_types=1);

namespace Larder\Driver\Redis;

use Larder\Contract\RemoteStore;

/** For the stores that open a connection: its use by another namespace. */
trait SharesRedisConnection
{
    public function over(RemoteStore $other): RemoteStore
    {
        return $other instanceof RedisProtocol ? new RedisNamespace($other, $this->namespace, $this->codec) : $this;
    }
}

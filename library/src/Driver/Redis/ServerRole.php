<?php

declare(strict_types=1);

namespace Larder\Driver\Redis;

/** What a server is for the store that uses it. */
enum ServerRole
{
    /** It stands alone, or whoever wrote the DSN has chosen it. */
    case Single;

    /** The master that sentinels name. */
    case Master;

    /** A replica of that one. */
    case Replica;

    /** One of the masters of a cluster. */
    case ClusterMaster;

    /** A replica in a cluster. */
    case ClusterReplica;

    /** Whether it was found by asking other servers, so that another may have its role by now. */
    public function isFound(): bool
    {
        return $this !== self::Single;
    }

    /** Whether a command may only name keys of one slot. */
    public function hasSlots(): bool
    {
        return $this === self::ClusterMaster || $this === self::ClusterReplica;
    }

    /** @return self of its replicas */
    public function replica(): self
    {
        return $this->hasSlots() ? self::ClusterReplica : self::Replica;
    }
}

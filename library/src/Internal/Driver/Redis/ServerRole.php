<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\Redis;

/** The role of a server that was found by asking other servers, so another may have it by now. */
enum ServerRole
{
    /** The master that sentinels name. */
    case Master;

    /** A replica of that one. */
    case Replica;

    /** One of the masters of a cluster. */
    case ClusterMaster;

    /** A replica in a cluster. */
    case ClusterReplica;

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

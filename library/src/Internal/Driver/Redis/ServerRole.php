<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\Redis;

/** The role that a server had when other servers were asked. It may have another role by now. */
enum ServerRole
{
    /** The master that sentinels name. */
    case Master;

    /** A replica of that master. */
    case Replica;

    /** One of the masters of a cluster. */
    case ClusterMaster;

    /** A replica in a cluster. */
    case ClusterReplica;

    /** True if a command may only name keys of one slot. */
    public function hasSlots(): bool
    {
        return $this === self::ClusterMaster || $this === self::ClusterReplica;
    }

    /** @return self the role of its replicas */
    public function replica(): self
    {
        return $this->hasSlots() ? self::ClusterReplica : self::Replica;
    }
}
